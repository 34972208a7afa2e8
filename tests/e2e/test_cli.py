"""The verbs that look: version, help, config, doctor; where the root is; what is refused."""
import json
import os
import shutil
import subprocess

from harness import DEADLINE, TREFOIL, Serve, case, database, environment, equal, has, main, make_state, run


VERBS = ("chat", "run", "sandbox", "sessions", "tasks", "approvals", "locks", "serve", "mcp", "acp", "agents", "models", "a2a", "servers",
         "tools", "connect", "trust", "config", "doctor", "explain", "audit", "backup", "gc", "state", "init",
         "version", "help")
SUBCOMMANDS = {"a2a": ("card", "send", "stream", "get", "list", "cancel", "subscribe"), "sessions": ("list", "show", "export", "delete"), "agents": ("list", "show", "dispatch"),
               "tasks": ("list", "show", "watch", "events", "cancel"),
               "approvals": ("list", "show", "allow", "deny", "answer"), "tools": ("list", "call"),
               "servers": ("list", "test", "add", "remove", "enable", "disable", "approve"),
               "audit": ("show", "verify", "export"), "config": ("check", "limits"), "state": ("list", "path", "adopt", "delete", "import")}


def shown(*args, **more):
    """What a command prints that must succeed without a word on stderr."""
    done = run(*args, **more)
    equal((args, done.returncode, done.stderr), (args, 0, b""))
    return done.stdout.decode()


@case
def help_is_shown_everywhere(root):
    everything = shown()
    for verb in VERBS:
        has(everything, f"\n  {verb} ")
    has(everything, "\nExit codes: 0 success, 1 failure, 2 ")
    for args in (("help",), ("--help",), ("-h",), ("--json", "-h"), ("help", "--help")):
        equal(shown(*args), everything)
    for verb in VERBS:
        text = shown("help", verb)
        has(text, f"usage: trefoil {verb}")
        has(text, "-h, --help")
        if verb != "help":
            for args in ((verb, "--help"), (verb, "-h"), ("-h", verb), (verb, "--help", "--frob")):
                equal(shown(*args, cwd=root), text)
        for sub in SUBCOMMANDS.get(verb, ()):
            has(text, f"\n  {sub} ")
            part = shown("help", verb, sub)
            has(part, f"usage: trefoil {verb} {sub} ")
            equal(shown(verb, sub, "-h"), part)
            equal(shown(verb, "--help", sub), part)
    equal(list(root.iterdir()), [])


@case
def the_version_is_shown_everywhere(root):
    version = shown("version")
    equal(version.split()[0], "trefoil")
    for args in (("-V",), ("--version",), ("servers", "-V"), ("run", "--version"), ("tools", "call", "-V")):
        equal(shown(*args), version)
    equal(json.loads(shown("version", "--json")), json.loads(shown("--version", "--json")))
    equal(json.loads(shown("version", "--json"))["name"], "trefoil")


@case
def a_wrong_command_line_is_explained(root):
    for args, text in ((("frobnicate",), b'unknown command "frobnicate"; see: trefoil help\n'),
                       (("srve",), b'unknown command "srve"; did you mean "serve"?\n'),
                       (("serve", "--lisen", "1"), b"serve: unknown option --lisen; did you mean --listen?\n"),
                       (("serve", "--port", "1"), b"serve: unknown option --port; see: trefoil serve --help\n"),
                       (("run", "-q", "x"), b"run: unknown option -q; see: trefoil run --help\n"),
                       (("--frob",), b"trefoil: unknown option --frob; see: trefoil --help\n"),
                       (("serve", "--listen"), b"--listen needs a value: ADDRESS"),
                       (("version", "--json=1"), b"--json takes no value"),
                       (("serve", "now"), b'unexpected argument "now"\nusage: trefoil serve\n'),
                       (("config",), b"config: missing command\nusage: trefoil config check | limits\n"),
                       (("config", "frob"), b'config: unknown command "frob"; available commands: check, limits'),
                       (("config", "chekc"), b'config: unknown command "chekc"; did you mean "check"?'),
                       (("tools", "call"), b"tools call: missing NAME\nusage: trefoil tools call NAME [JSON | -]"),
                       (("agents", "dispatch", "x"), b"agents dispatch: missing TASK\n"),
                       (("tasks", "show", "--live"), b"--live is not accepted here"),
                       (("backup",), b"missing FILE"),
                       (("doctor", "--log-level", "loud"), b"expected error, warn"),
                       (("help", "frob"), b'unknown command "frob"'),
                       (("help", "servers", "ad"), b'did you mean "add"?'),
                       (("help", "serve", "x"), b'"serve" has no subcommands')):
        done = run(*args, cwd=root)
        equal((args, done.returncode), (args, 2))
        has(done.stderr, text)
        equal(done.stdout, b"")


@case
def a_mistyped_name_suggests_the_nearest(root):
    (root / ".trefoil" / "agents").mkdir(parents=True)
    (root / ".trefoil" / "agents" / "reviewer.md").write_text("---\ndescription: r.\n---\nYou review.\n")
    for args, text in ((("tools", "call", "file_raed"), b'unknown tool file_raed; did you mean "file_read"?'),
                       (("explain", "gerp"), b'unknown tool gerp; did you mean "grep"?'),
                       (("agents", "show", "reviwer"), b'there is no agent reviwer; did you mean "reviewer"?'),
                       (("explain", "grep", "--agent", "defualt"), b'did you mean "default"?'),
                       (("run", "-a", "reviwer", "hi"), b'there is no agent reviwer; did you mean "reviewer"?'),
                       (("agents", "dispatch", "reviwer", "hi"), b'did you mean "reviewer"?'),
                       (("mcp", "--agent", "reviwer"), b'did you mean "reviewer"?'),
                       (("run", "--model", "hihg", "hi"), b'the model hihg; did you mean "high"?'),
                       (("run", "--model", "antropic/x", "hi"), b'antropic/x; did you mean "anthropic"?'),
                       (("connect", "cursr"), b'did you mean "cursor"?')):
        done = run(*args, root=root, stdin=b"")
        equal((args, done.returncode), (args, 2))
        has(done.stderr, text)
        equal(done.stdout, b"")


@case
def a_reader_that_leaves_is_no_failure(root):
    for args in (("tools",), ("help",), ("config", "limits"), ("config", "limits", "--json")):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([TREFOIL, *args], cwd=root, stdout=write, stderr=subprocess.PIPE,
                              env=environment(), check=False)
        os.close(write)
        equal((args, done.stderr), (args, b""))
        with open("/dev/full", "wb") as full:
            done = subprocess.run([TREFOIL, *args], cwd=root, stdout=full, stderr=subprocess.PIPE,
                                  env=environment(), check=False)
        equal((args, done.returncode), (args, 1))
        has(done.stderr, b"cannot write to stdout: No space left on device")


@case
def the_root_is_the_nearest_folder_that_looks_like_one(root):
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    (root / ".git").mkdir()
    has(run("config", "check", cwd=inner).stdout, f"root {root} (.git)".encode())
    (root / "a" / "trefoil.toml").write_text("")
    has(run("config", "check", cwd=inner).stdout, f"root {root}/a (trefoil.toml)".encode())
    has(run("config", "check", cwd=inner, TREFOIL_ROOT=str(root)).stdout, b"(TREFOIL_ROOT)")
    has(run("--root", str(inner), "config", "check").stdout, b"a/b (--root)")
    has(run(f"--root={inner}", "config", "check").stdout, b"a/b (--root)")


@case
def the_home_folder_and_slash_are_never_the_root(root):
    home = root / "home"
    home.mkdir()
    done = run("config", "check", cwd=home, HOME=str(home))
    has(done.stdout, f"root {home}/.local/state/trefoil/root (user state)".encode())
    done = run("config", "check", cwd="/", HOME=str(home))
    has(done.stdout, b"(user state)")
    for wide in ("/", str(home)):
        done = run("config", "check", "--root", wide, HOME=str(home))
        equal(done.returncode, 2)
        has(done.stderr, b"cannot be a root")
    done = run("config", "check", "--root", str(root / "none"))
    equal(done.returncode, 2)
    has(done.stderr, b"No such file")


@case
def configuration_is_read_strictly(root):
    good = '[serve]\nlisten = "127.0.0.1:0"\nhosts = ["x.example"]\n[log]\nlevel = "error"\n' \
           'format = "json"\n[limits]\ntool_ms = 5_000\n'
    (root / "trefoil.toml").write_text(good)
    equal(run("config", "check", root=root).returncode, 0)
    equal(json.loads(run("config", "limits", "--json", root=root).stdout)["tool_ms"], 5000)
    for text, where in (("[serve]\nlisen = 1\n", b"trefoil.toml:2:1: serve.lisen: unknown key; "
                         b'did you mean "listen"?'),
                        ("[serve]\nport = 1\n", b"serve.port: unknown key; accepted keys: listen, hosts"),
                        ("[serve]\nlisten = 1\n", b"trefoil.toml:2:10: serve.listen: expected a "
                         b"string, found a number"),
                        ("a = 1\na = 2\n", b"trefoil.toml:2:1:"),
                        ("[limits]\ntool_ms = 1\n", b"trefoil.toml:2:11: limits.tool_ms: 1 is out "
                         b"of range; expected 10 to 3600000"),
                        ("[limits]\nfrob = 1\n", b"trefoil.toml:2:1: limits.frob: unknown key"),
                        ("[log]\nlevel = 'loud'\n", b"trefoil.toml:2:9: log.level: unknown level"),
                        ("[serve\n", b"trefoil.toml:1:"),
                        ("a = \xff\n", b"trefoil.toml:1:5:")):
        (root / "trefoil.toml").write_bytes(text.encode("latin-1"))
        for verb in (("config", "check"), ("mcp", "--scope", "tools"), ("serve",)):
            done = run(*verb, root=root, stdin=b"")
            equal(done.returncode, 2)
            has(done.stderr, where)


@case
def a_configuration_that_cannot_be_read_is_an_error(root):
    (root / "trefoil.toml").mkdir()
    done = run("config", "check", root=root)
    equal(done.returncode, 2)
    has(done.stderr, b"trefoil.toml is not a regular file")
    done = run("config", "check", "--config", str(root / "none.toml"), root=root)
    equal(done.returncode, 2)
    has(done.stderr, b"none.toml: No such file")
    (root / "trefoil.toml").rmdir()
    (root / "trefoil.toml").write_text("x" * (1 << 20) + "yy")
    done = run("config", "check", root=root)
    has(done.stderr, b"at most 1048576 are read")


@case
def a_configuration_nobody_may_read_is_an_error(root):
    """As an unprivileged user, since root may read everything."""
    (root / "trefoil.toml").write_text("")
    os.chmod(root / "trefoil.toml", 0)
    os.chmod(root, 0o755)
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    done = subprocess.run((become if os.geteuid() == 0 else []) +
                          [TREFOIL, "config", "check", "--root", str(root)],
                          capture_output=True, env=environment(), check=False)
    equal(done.returncode, 2)
    has(done.stderr, b"trefoil.toml: Permission denied")


@case
def the_users_file_lies_under_the_projects(root):
    user = root / "config" / "trefoil"
    user.mkdir(parents=True)
    (user / "config.toml").write_text("[limits]\ntool_ms = 111\nchild_term_ms = 222\nconfig_bytes = 1024\n")
    (root / "p").mkdir()
    (root / "p" / "trefoil.toml").write_text("[limits]\ntool_ms = 99\n")
    done = run("config", "limits", "--json", root=root / "p", XDG_CONFIG_HOME=str(root / "config"))
    got = json.loads(done.stdout)
    equal((got["tool_ms"], got["child_term_ms"]), (99, 222))
    (root / "p" / "trefoil.toml").write_text("#" * 1025)
    done = run("config", "check", root=root / "p", XDG_CONFIG_HOME=str(root / "config"))
    equal(done.returncode, 2)
    has(done.stderr, b"trefoil.toml has 1025 bytes; at most 1024 are read")


@case
def doctor_says_what_it_finds(root):
    done = run("doctor", root=root)
    equal(done.returncode, 0)
    for word in (b"program", b"root", b"config", b"store", b"keeper", b"http client", b"sandbox"):
        has(done.stdout, word)
    names = {x["check"]: x["health"] for x in json.loads(run("doctor", "--json", root=root).stdout)}
    equal(names["store"], "ok")
    with Serve(root=root):
        has(run("doctor", root=root).stdout, b"intact")
    database(root).write_bytes(b"this is no database at all, only text" * 100)
    done = run("doctor", root=root)
    equal(done.returncode, 1)
    has(done.stdout, b"bad")
    has(done.stdout, b"was not changed")


@case
def a_corrupt_or_newer_store_is_refused_and_left_alone(root):
    state = make_state(root)
    (state / "trefoil.db").write_bytes(b"garbage" * 1000)
    done = run("serve", "--listen", "127.0.0.1:0", root=root)
    equal(done.returncode, 1)
    has(done.stderr, b"file is not a database; the file was not changed")
    equal((state / "trefoil.db").read_bytes(), b"garbage" * 1000)
    shutil.rmtree(state)
    with Serve(root=root):
        pass
    import sqlite3
    with sqlite3.connect(state / "trefoil.db") as db:
        db.execute("PRAGMA user_version = 999")
    done = run("serve", "--listen", "127.0.0.1:0", root=root)
    equal(done.returncode, 1)
    has(done.stderr, b"schema 999 is newer than this program knows")


@case
def a_full_disk_is_said_at_once(root):
    """A file system of 16 KB, mounted in a namespace of our own."""
    script = ('mkdir "$1/state" && mount -t tmpfs -o size=16k none "$1/state" && '
              'exec "$2" serve --listen 127.0.0.1:0 --root "$1"')
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    done = subprocess.run(["unshare", *user, "--mount", "sh", "-c", script, "sh", str(root), TREFOIL],
                          capture_output=True, timeout=DEADLINE, check=False,
                          env=environment(TREFOIL_STATE_DIR=str(root / "state")))
    equal(done.returncode, 1)
    has(done.stderr, b"the disk is full")
    equal(done.stdout, b"")


@case
def a_stdout_that_takes_nothing_ends_it_with_a_reason(root):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([TREFOIL, "mcp", "--scope", "tools", "--root", str(root)],
                              input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', stdout=full,
                              stderr=subprocess.PIPE, env=environment(), check=False)
    equal(done.returncode, 1)
    has(done.stderr, b"No space left on device")


main()
