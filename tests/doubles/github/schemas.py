"""What GitHub's description of its API says of the operations that exports use, written out as small JSON schemas.

By operation and status; requests by operation. Fields that nothing here depends on are left out.
"""

from typing import Any

Schema = dict[str, Any]

_SHA: Schema = {"type": "string", "pattern": "^[0-9a-f]{40}$"}
_URL: Schema = {"type": "string", "format": "uri"}
_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}
_FLAG: Schema = {"type": "boolean"}
_TIME: Schema = {"type": "string", "format": "date-time"}


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _object(**fields: Schema) -> Schema:
    """An object in which all these are required, and others may be."""
    return {"type": "object", "required": sorted(fields), "properties": fields}


def _request(required: tuple[str, ...], **fields: Schema) -> Schema:
    """The body of a request: no field that is not described."""
    return {"type": "object", "required": list(required), "properties": fields, "additionalProperties": False}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


_USER = _object(login=_TEXT, id=_NUMBER, node_id=_TEXT, url=_URL, html_url=_URL, type=_TEXT, site_admin=_FLAG)
_REPOSITORY = _object(
    id=_NUMBER,
    node_id=_TEXT,
    name=_TEXT,
    full_name=_TEXT,
    owner=_USER,
    private=_FLAG,
    html_url=_URL,
    url=_URL,
    fork=_FLAG,
    archived=_FLAG,
    disabled=_FLAG,
    default_branch=_TEXT,
    permissions=_object(admin=_FLAG, pull=_FLAG, push=_FLAG),
)
_REF = _object(ref=_TEXT, node_id=_TEXT, url=_URL, object=_object(type=_TEXT, sha=_SHA, url=_URL))
_LISTED_FILE = _object(
    type={"enum": ["dir", "file", "submodule", "symlink"]},
    size=_NUMBER,
    name=_TEXT,
    path=_TEXT,
    sha=_SHA,
    url=_URL,
    git_url=_nullable(_URL),
    html_url=_nullable(_URL),
    download_url=_nullable(_URL),
    _links=_object(self=_URL, git=_nullable(_URL), html=_nullable(_URL)),
)
_PERSON = _object(name=_TEXT, email=_TEXT, date=_TIME)
_COMMIT = _object(
    url=_URL,
    sha=_SHA,
    node_id=_TEXT,
    html_url=_URL,
    commit=_object(url=_URL, author=_PERSON, committer=_PERSON, message=_TEXT, tree=_object(sha=_SHA, url=_URL)),
    author=_nullable(_USER),
    committer=_nullable(_USER),
    parents=_list(_object(sha=_SHA, url=_URL)),
)
_FILE_COMMIT = _object(content=_nullable(_LISTED_FILE), commit=_object(sha=_SHA, url=_URL, message=_TEXT))
_END = _object(label=_TEXT, ref=_TEXT, sha=_SHA, user=_nullable(_USER), repo=_nullable(_REPOSITORY))
_SIMPLE_PULL = _object(
    url=_URL,
    id=_NUMBER,
    node_id=_TEXT,
    html_url=_URL,
    number=_NUMBER,
    state={"enum": ["open", "closed"]},
    locked=_FLAG,
    title=_TEXT,
    user=_USER,
    body=_nullable(_TEXT),
    created_at=_TIME,
    updated_at=_TIME,
    merged_at=_nullable(_TIME),
    head=_END,
    base=_END,
    draft=_FLAG,
)
_PULL: Schema = {"allOf": [_SIMPLE_PULL, _object(merged=_FLAG, mergeable=_nullable(_FLAG), commits=_NUMBER)]}
_COMPARISON = _object(
    url=_URL,
    status={"enum": ["diverged", "ahead", "behind", "identical"]},
    ahead_by=_NUMBER,
    behind_by=_NUMBER,
    total_commits=_NUMBER,
    commits=_list(_COMMIT),
)
_TOKEN = _object(token=_TEXT, expires_at=_TIME, permissions={"type": "object"})
_MOVED = _object(message=_TEXT, url=_URL)
# Live errors name their status as a string.
ERROR: Schema = {
    "type": "object",
    "required": ["message"],
    "properties": {"message": _TEXT, "documentation_url": _TEXT, "status": _TEXT, "errors": {"type": "array"}},
}

REQUESTS: dict[str, Schema] = {
    "git/create-ref": _request(("ref", "sha"), ref={"type": "string", "pattern": "^refs/heads/."}, sha=_SHA),
    "git/update-ref": _request(("sha",), sha=_SHA, force=_FLAG),
    "repos/create-or-update-file-contents": _request(
        ("message", "content"), message=_TEXT, content=_TEXT, branch=_TEXT, sha=_TEXT
    ),
    "repos/merge": _request(("base", "head"), base=_TEXT, head=_TEXT, commit_message=_TEXT),
    "pulls/create": _request(
        ("head", "base"),
        title=_TEXT,
        head=_TEXT,
        base=_TEXT,
        body=_TEXT,
        draft=_FLAG,
        head_repo=_TEXT,
        maintainer_can_modify=_FLAG,
    ),
    "apps/create-installation-access-token": _request((), permissions={"type": "object"}),
}
ANSWERS: dict[tuple[str, int], Schema] = {
    ("repos/get", 200): _REPOSITORY,
    ("repos/get", 301): _MOVED,
    ("git/get-ref", 200): _REF,
    ("git/create-ref", 201): _REF,
    ("git/update-ref", 200): _REF,
    ("repos/get-content", 200): {"anyOf": [_list(_LISTED_FILE), _LISTED_FILE]},
    ("repos/create-or-update-file-contents", 200): _FILE_COMMIT,
    ("repos/create-or-update-file-contents", 201): _FILE_COMMIT,
    ("repos/list-commits", 200): _list(_COMMIT),
    ("repos/compare-commits", 200): _COMPARISON,
    ("repos/merge", 201): _COMMIT,
    ("pulls/list", 200): _list(_SIMPLE_PULL),
    ("pulls/create", 201): _PULL,
    ("pulls/get", 200): _PULL,
    ("apps/create-installation-access-token", 201): _TOKEN,
}
# What each operation may be asked beside its path.
PARAMETERS = {
    "repos/get-content": {"ref"},
    "repos/list-commits": {"sha", "path", "per_page", "page"},
    "pulls/list": {"state", "head", "base", "sort", "direction", "per_page", "page"},
    "repos/compare-commits": {"per_page", "page"},
}
