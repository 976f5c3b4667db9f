"""The few settings that are read of Synchronet's files."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.bbs_gym.hosts.fake_synchronet import SBBS_INI

from bbs_gym.hosts.sbbs_ini import BbsSettings, read_ini, read_settings


def test_a_configuration_of_the_page() -> None:
    assert read_settings(SBBS_INI, "save_interval = 10\n") == BbsSettings(
        telnet_port=2323, rlogin_port=2513, nodes=8, rlogin=True, telnet=True, save_interval_s=10
    )


def test_nothing_configured_is_a_stock_installation() -> None:
    assert read_settings("", "") == BbsSettings(
        telnet_port=23, rlogin_port=513, nodes=4, rlogin=False, telnet=True, save_interval_s=300
    )


def test_names_are_case_free_and_the_first_counts() -> None:
    ini = "[bbs]\r\nTELNETPORT=24\r\ntelnetport=25\r\n; TelnetPort=26\r\n[Web]\r\nTelnetPort=27\r\n"
    assert read_settings(ini).telnet_port == 24


def test_telnet_can_be_switched_off() -> None:
    assert not read_settings("[BBS]\nOptions=NO_TELNET|ALLOW_RLOGIN\n").telnet


def test_no_number_is_the_stock_one() -> None:
    assert read_settings("[BBS]\nTelnetPort=none\nLastNode=\n").nodes == 4


def test_nodes_that_begin_later() -> None:
    assert read_settings("[BBS]\nFirstNode=3\nLastNode=5\n").nodes == 3


def test_the_longest_save_interval_counts() -> None:
    assert read_settings("", "save_interval=10\n[tw2]\nsave_interval = 60\n").save_interval_s == 60


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    read_ini(text)
    assert read_settings(text, text).nodes >= 1
