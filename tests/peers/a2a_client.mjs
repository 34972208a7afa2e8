// trefoil as a client of A2A agents on the genuine SDKs 1.3.0 and 0.3.14.
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seen, serve03, serve1 } from './a2a_servers.mjs';
import { equal, finish, has, root, test, trefoil } from './harness.mjs';

process.env.TREFOIL_PROVIDER = 'offline';
const config = join(root, 'user');
await mkdir(join(config, 'trefoil'), { recursive: true });
const ticks = Array.from({ length: 20 }, (_, i) => `tick-${i} `).join('');

// Run trefoil to its end; `stop` is called with each line of stdout.
async function run(args, onLine) {
  const child = spawn(trefoil, [...args, '--root', root],
    { env: { ...process.env, XDG_CONFIG_HOME: config }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '', err = '';
  child.stdout.on('data', data => { out += data; onLine?.(out, child); });
  child.stderr.on('data', data => { err += data; });
  const code = await new Promise(done => child.on('close', done));
  return { code, out, err };
}

async function use(url, binding, version) {
  await writeFile(join(config, 'trefoil', 'config.toml'),
    `[[agents]]\nname = "far"\nprovider = "a2a"\nurl = "${url}"\nbinding = "${binding}"\n` +
    `protocol_version = "${version}"\n`);
}

async function cancelsAfterTheFirstTick() {
  let sent = false;
  const done = await run(['run', '--json', '-a', 'far', 'slow'], (out, child) => {
    if (!sent && out.includes('tick-')) { sent = true; child.kill('SIGINT'); }
  });
  equal(done.code, 130);
  has(done.out, '"stop":"canceled"');
}

const servers = { '1.3.0': await serve1(0), '0.3.14': await serve03(0) };

// The cards name the port, which the kernel chooses: serve again at that port.
async function again(server, serve) {
  const { port } = server.address();
  await new Promise(done => server.close(done));
  return [await serve(port), `http://127.0.0.1:${port}`];
}

for (const [sdk, serve, versions] of [['1.3.0', serve1, ['1.0', '0.3']], ['0.3.14', serve03, ['0.3']]]) {
  const [server, url] = await again(servers[sdk], serve);
  for (const version of versions)
    for (const binding of ['JSONRPC', 'HTTP+JSON'])
      await test(`SDK ${sdk} as an agent, ${version} over ${binding}`, async () => {
        await use(url, binding, version);
        equal((await run(['run', '-a', 'far', 'hello there'])).out, 'echo: hello there\n');
        equal((await run(['run', '-a', 'far', 'slow'])).out.trimEnd(), ticks.trimEnd());
        const failed = await run(['run', '-a', 'far', 'fail']);
        equal(failed.code, 1);
        has(failed.err, 'it broke');
        equal((await run(['run', '-a', 'far', 'ask'])).out, 'which one?\n');
        const asked = seen.at(-1);
        equal((await run(['run', '-a', 'far', '-c', 'the red one'])).out, 'got: the red one\n');
        equal(seen.at(-1), { ...asked, words: 'the red one' });
        await cancelsAfterTheFirstTick();
        equal((await run(['a2a', 'send', 'far', 'hello'])).out, 'echo: hello\n');
        equal((await run(['a2a', 'stream', 'far', 'slow'])).out.trimEnd(), ticks.trimEnd());
        has((await run(['a2a', 'card', url])).out, `the SDK ${sdk}`);
      });
  server.closeAllConnections();
  server.close();
}
finish();
