"""What an onlooker is sent beside the states."""

from __future__ import annotations

from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.codec import encode
from agentbbs.protocol.watching import Over, Watching


def test_the_first_message_says_which_match_it_is() -> None:
    assert encode(Watching("m1", "c4", ("alice", "bob"), 15_000, True, ("3", "0"))) == (
        b'{"type":"watching","match":"m1","game":"c4","players":["alice","bob"],"moveTimeoutMs":15000,"rated":true,'
        b'"moves":["3","0"]}'
    )


def test_the_last_message_says_how_it_ended() -> None:
    assert encode(Over("m1", 1, Termination.TIMEOUT, "forfeit: timeout", 7, True)) == (
        b'{"type":"over","match":"m1","winner":1,"termination":"timeout","reason":"forfeit: timeout","plies":7,'
        b'"rated":true}'
    )
    assert encode(Over("m1", -1, Termination.NORMAL, None, 9, False)) == (
        b'{"type":"over","match":"m1","winner":-1,"termination":"normal","reason":null,"plies":9,"rated":false}'
    )
