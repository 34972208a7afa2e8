"""A project's trefoil.toml makes limits stricter, never looser than the user has them."""
import json
import signal

from harness import Serve, case, equal, has, main, run, user_config, wait_for


def project(root, text):
    (root / "trefoil.toml").write_text("[limits]\n" + text)


def limits(root, *args):
    done = run("config", "limits", "--json", *args, root=root)
    equal(done.returncode, 0)
    return json.loads(done.stdout)


def warnings(root):
    return json.loads(run("config", "check", "--json", root=root).stdout)["warnings"]


def refused_after(server, requests):
    """Is one of that many requests refused because there were too many?"""
    return 429 in [server.request("GET", "/health").status for _ in range(requests)]


@case
def a_project_does_not_lift_the_rate_limit_of_the_user(root):
    user_config(root, "[limits]\nrate_local_per_min = 30\n")
    project(root, "rate_local_per_min = 0\n")
    with Serve(root=root) as server:
        has(server.process.stderr.readline(), b"limits.rate_local_per_min = 0 is ignored")
        equal(refused_after(server, 40), True)


@case
def a_reload_does_not_lift_it_either(root):
    user_config(root, "[limits]\nrate_local_per_min = 30\n")
    with Serve(root=root) as server:
        project(root, "rate_local_per_min = 0\n")
        server.process.send_signal(signal.SIGHUP)
        wait_for("the reload", lambda: b"is ignored" in server.process.stderr.readline())
        equal(refused_after(server, 40), True)


@case
def a_project_sets_a_rate_limit_where_the_user_has_none(root):
    project(root, "rate_local_per_min = 6\n")
    with Serve(root=root) as server:
        equal(refused_after(server, 10), True)


@case
def the_audit_log_of_the_user_is_not_cut_by_a_project(root):
    project(root, "audit_bytes = 4096\naudit_files = 1\n")
    got = limits(root)
    equal((got["audit_bytes"], got["audit_files"]), (10 << 20, 5))


@case
def a_looser_value_is_ignored_with_a_warning_that_names_it(root):
    user_config(root, "[limits]\ntool_ms = 500\n")
    project(root, "tool_ms = 501\nshell_ms = 120_001\nlog_keep_ms = 1000\nturn_tokens = 0\n")
    got = limits(root)
    equal([got[k] for k in ("tool_ms", "shell_ms", "log_keep_ms")], [500, 120000, 7776000000])
    said = warnings(root)
    for line, part in ((2, "limits.tool_ms = 501 is ignored: a project may only make a limit "
                           "stricter; 500 is in force"),
                       (3, "limits.shell_ms = 120001 is ignored"),
                       (4, "limits.log_keep_ms = 1000 is ignored: a project may not set this limit; "
                           "7776000000 is in force")):
        equal(len([w for w in said if f"trefoil.toml:{line}:" in w and part in w]), 1)
    equal([w for w in said if "turn_tokens" in w], [])
    has(run("config", "check", root=root).stdout, b"warn " + str(root).encode() + b"/trefoil.toml:2:")


@case
def stricter_values_and_the_users_own_files_count(root):
    user_config(root, "[limits]\ntool_ms = 70_000\nrate_per_min = 0\naudit_bytes = 4096\n")
    project(root, "tool_ms = 400\nrate_per_min = 7\n")
    got = limits(root)
    equal([got[k] for k in ("tool_ms", "rate_per_min", "audit_bytes")], [400, 7, 4096])
    equal(warnings(root), [])
    own = root / "own.toml"
    own.write_text("[limits]\ntool_ms = 90_000\nrate_per_min = 0\naudit_bytes = 8192\n")
    got = limits(root, "--config", str(own))
    equal([got[k] for k in ("tool_ms", "rate_per_min", "audit_bytes")], [90000, 0, 8192])


@case
def trusting_a_project_for_one_run_does_not_loosen_limits(root):
    project(root, "tool_ms = 60_001\n")
    equal(limits(root, "--trust")["tool_ms"], 60000)


main()
