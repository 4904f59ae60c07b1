import pytest
@pytest.mark.parametrize("n", range(40))
async def test_again(memory, n):
    assert (await memory.ask("propose", "fact", "Grüße", "Zwei\nZeilen"))["ok"]
