# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t
import urllib.parse

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.client import (
    Answer,
    authorization,
    make_call,
    read_answer,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, DeclarationError
from hypothesis import given
from hypothesis import strategies as st

GET = make_call("GET", "pools/house", None)


def failure(status: int, body: bytes = b"", reason: str = "", secrets: t.Iterable[str] = ()) -> ApiError:
    with pytest.raises(ApiError) as caught:
        read_answer(GET, Answer(status, reason, body), secrets)
    return caught.value


def test_form_values_are_escaped_where_pve_would_split_them() -> None:
    body = make_call("PUT", "p", {"a": "x;y=z&w+v%25 ü\n"}).body
    assert body == b"a=x%3By%3Dz%26w%2Bv%2525%20%C3%BC%0A"


@given(st.dictionaries(st.text(min_size=1), st.text()))
def test_a_form_comes_back_as_it_was_put_in(form: dict[str, str]) -> None:
    body = (make_call("POST", "p", form).body or b"").decode()
    assert ";" not in body
    assert body.count("=") == len(form)
    assert urllib.parse.parse_qsl(body, keep_blank_values=True) == list(form.items())


def test_booleans_are_0_and_1_and_none_is_left_out() -> None:
    assert make_call("POST", "p", {"a": True, "b": False, "c": None, "d": 7}).body == b"a=1&b=0&d=7"


def test_a_tuple_repeats_its_key_and_an_empty_one_sends_nothing() -> None:
    assert make_call("PUT", "p", {"delete": ("a", "b"), "x": ()}).body == b"delete=a&delete=b"


def test_delete_and_get_carry_parameters_in_the_query() -> None:
    for method in ("GET", "DELETE"):
        call = make_call(method, "p", {"purge": "1"})
        assert (call.target, call.body) == ("/api2/json/p?purge=1", None)


def test_a_write_without_values_has_an_empty_form() -> None:
    assert make_call("POST", "p", None).body == b""


@pytest.mark.parametrize("path", ["pools/../access", "pools//x", "pools/.", "a?b", "a#b", "a\nb", ""])
def test_a_path_that_would_lead_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(DeclarationError, match="no path of the API"):
        make_call("DELETE", path, None)


def test_a_upid_is_sent_raw() -> None:
    upid = "UPID:pve1:0000C530:001C9BEC:66A5B3C4:vzcreate:100:root@pam!ci:"
    assert make_call("GET", f"nodes/pve1/tasks/{upid}/status", None).target.endswith(f"/tasks/{upid}/status")


def test_a_body_over_512_kib_is_refused_before_it_is_sent() -> None:
    with pytest.raises(DeclarationError, match="512 KiB"):
        make_call("POST", "p", {"a": "x" * 600_000})


def test_pve_and_pbs_have_different_headers() -> None:
    assert authorization("pve", "u@pam!t", "s") == "PVEAPIToken=u@pam!t=s"
    assert authorization("pbs", "u@pbs!t", "s") == "PBSAPIToken=u@pbs!t:s"


def test_a_secret_is_escaped_in_the_header_because_both_decode_it() -> None:
    assert authorization("pve", "u@pam!t", "a;b=c%d") == "PVEAPIToken=u@pam!t=a%3Bb%3Dc%25d"
    assert authorization("pbs", "u@pbs!t", "a:b") == "PBSAPIToken=u@pbs!t:a%3Ab"


def test_the_envelope_of_a_2xx_is_given_whole() -> None:
    assert read_answer(GET, Answer(200, "OK", b'{"data":null,"total":3}'), ()) == {"data": None, "total": 3}


@pytest.mark.parametrize("body", [b"<html>", b"", b"[]", b'{"x":1}', b"null"])
def test_a_200_that_is_not_the_api_is_an_error(body: bytes) -> None:
    with pytest.raises(ApiError, match="address and port"):
        read_answer(GET, Answer(200, "OK", body), ())


def test_message_of_the_body_comes_first_in_one_line() -> None:
    error = failure(500, b'{"data":null,"message":"storage\\n \'nope\' does not exist\\n"}', "other")
    assert error.message == "storage 'nope' does not exist"
    assert str(error) == "GET pools/house -> 500: storage 'nope' does not exist"


def test_an_empty_body_leaves_the_reason_phrase() -> None:
    assert failure(500, b"", "Configuration file 'x' does not exist").message == "Configuration file 'x' does not exist"
    assert failure(401, b"", "No ticket").message == "No ticket"


def test_the_errors_map_is_flattened() -> None:
    body = b'{"data":null,"message":"Parameter verification failed.\\n","errors":{"b":"too\\nlong","a":"not defined"}}'
    error = failure(400, body)
    assert error.errors == {"a": "not defined", "b": "too long"}
    assert str(error).endswith("Parameter verification failed.; a: not defined; b: too long")


def test_pbs_writes_its_text_into_the_body() -> None:
    assert failure(404, b"no such datastore 'x'", "Not Found").message == "no such datastore 'x'"
    assert failure(400, b'"parameter failed"', "Bad Request").message == "parameter failed"


def test_html_is_not_quoted() -> None:
    assert failure(502, b"<html>secret page</html>", "Bad Gateway").message == "Bad Gateway"


def test_a_long_text_is_cut_after_the_secret_is_masked() -> None:
    secret = "5e3c7e1a-secret"
    error = failure(500, b"", "x" * 290 + secret + "y" * 50, {secret})
    assert len(error.message) == 300
    assert "5e3c" not in str(error)


def test_secrets_are_masked_in_message_and_errors() -> None:
    body = b'{"data":null,"message":"bad hunter22","errors":{"password":"hunter22 is weak"}}'
    error = failure(400, body, secrets={"hunter22"})
    assert "hunter22" not in str(error) + str(error.details())
    assert "********" in error.message


@pytest.mark.parametrize(
    ("status", "hint"), [(301, "redirects are never followed"), (401, "expired token"), (595, "could not connect")]
)
def test_statuses_that_need_it_are_explained(status: int, hint: str) -> None:
    assert hint in str(failure(status, b"", "x"))
