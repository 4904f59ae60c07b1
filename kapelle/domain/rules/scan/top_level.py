"""Top-level domains: those of countries, and the generic ones that people and companies use."""

from typing import Final

_COUNTRIES: Final = frozenset(
    "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz "
    "ca cc cd cf cg ch ci ck cl cm "
    "cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh "
    "gi gl gm gn gp gq gr gs gt gu "
    "gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb "
    "lc li lk lr ls lt lu lv ly ma "
    "mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa "
    "pe pf pg ph pk pl pm pn pr ps "
    "pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg "
    "th tj tk tl tm tn to tr tt tv "
    "tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw".split()
)
_GENERIC: Final = frozenset(
    "com net org edu gov mil int info biz name pro aero coop museum jobs mobi travel cat tel asia post xxx app "
    "dev page cloud online site store "
    "shop tech xyz club live life email work works team group agency company consulting digital engineering "
    "expert finance financial fund "
    "global gmbh health hosting house international io jetzt law lawyer legal limited llc ltd management "
    "marketing media money network news "
    "one partners photo photography pizza plus productions properties school science security services software "
    "solutions space studio "
    "support systems technology today tools top training ventures video vip website wiki world zone academy art "
    "berlin bio blog care center "
    "city coach codes community computer dental design direct energy estate events exchange family fit "
    "foundation foto fun games guru "
    "hamburg haus inc ink institute koeln land link lol london moscow moe network ninja nyc paris place press "
    "pub run sale schule social "
    "swiss tax tirol tokyo tours town university vegas vet wales wien wine yoga zuerich bayern ruhr saarland "
    "nrw bank insurance doctor law "
    "attorney accountant accountants clinic hospital gay ceo capital ist icu quebec scot cymru corsica bzh eus "
    "gal barcelona madrid "
    "amsterdam brussels vlaanderen istanbul miami boston kiwi sydney melbourne рф укр бел".split()
)
TOP_LEVEL: Final = _COUNTRIES | _GENERIC
