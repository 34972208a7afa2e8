// The official client of the tasks extension (it comes with the inspector) against a build of trefoil, over
// HTTP: what it reads is checked against its own schemas as it comes. Programs really run. Prints TAP.
// usage: node tasks.mjs TREFOIL
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, resultFromTaskOutcome, TaskCancelledError,
  TaskFailedError } from '@modelcontextprotocol/ext-tasks/client';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { equal, finish, has, root, serve, test } from './harness.mjs';

process.env.TREFOIL_PROVIDER = 'offline';
const VERSION = '2026-07-28';
const config = join(root, 'own.toml');
// Only a client with a key can approve a call over HTTP.
const key = { authorization: 'Bearer peers-key' };
await writeFile(config, '[serve]\napi_key = "peers-key"\n[mcp]\nmode = "read-write"\npermission = { execute = "ask" }\n');
const url = await serve('--config', config);

// A request as the extension's client has framed it; the client of the SDK knows nothing of tasks yet.
let ids = 0;
async function rawDispatch(request, { signal } = {}) {
  const { method, params } = request;
  const name = params.taskId ?? params.name;
  const response = await fetch(url, { method: 'POST', signal,
    headers: { ...key, 'content-type': 'application/json', accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION, 'mcp-method': method, 'mcp-name': name },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++ids, method, params }) });
  const { result, error } = await response.json();
  return error ? { kind: 'error', error } : { kind: 'result', result };
}

const client = new Client({ name: 'peers', version: '1' }, { versionNegotiation: { mode: { pin: VERSION } } });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: key } }));
const asked = [];
let answer = { action: 'accept', content: {} };
const session = createTaskSessionFromClient(client, { endpointId: 'peers', rawDispatch,
  v2RequestFraming: { protocolVersion: VERSION, clientInfo: { name: 'peers', version: '1' },
    clientCapabilities: { elicitation: {} } },
  onInputRequest: async (request, context) => { asked.push([request, context]); return answer; } });

const shell = command => session.callTool('shell_exec', { command, shell: true });
const result = async execution => resultFromTaskOutcome((await execution.settle()).outcome);

await test('a program runs as a task, once it was allowed', async () => {
  const execution = await shell('echo from a task');
  equal(execution.kind, 'task');
  const { content, structuredContent } = await result(execution);
  has(content[0].text, 'from a task');
  equal(structuredContent.exitCode, 0);
  equal(asked.length, 1);
  has(asked[0][0].params.message, 'Allow mcp to run shell_exec?');
  equal([asked[0][1].delivery, asked[0][1].taskId], ['task-update', execution.handle.taskId]);
});

await test('what was not allowed is a result that says so', async () => {
  answer = { action: 'decline' };
  const { isError, content } = await result(await shell('echo never'));
  answer = { action: 'accept', content: {} };
  equal(isError, true);
  has(content[0].text, 'not approved');
});

await test('a task is cancelled', async () => {
  const execution = await shell('sleep 1000');
  await execution.cancel();
  const cancelled = await result(execution).then(() => 0, e => e instanceof TaskCancelledError);
  equal(cancelled, true);
});

await test('an agent works as a task', async () => {
  const { content, structuredContent } = await result(
    await session.callTool('trefoil_agent_default', { message: '/echo hello' }));
  equal([content[0].text, structuredContent.answer], ['hello', 'hello']);
});

await test('a quick tool is answered at once', async () => {
  const execution = await session.callTool('system_time', {});
  equal(execution.kind, 'immediate');
  equal(typeof (await result(execution)).structuredContent.unixMs, 'number');
});

await test('an error of the request is one', async () => {
  const wrong = await session.callTool('nobody', {}).then(result).then(() => 0, e => e);
  equal([wrong.code, wrong instanceof TaskFailedError], [-32602, false]);
});

await session.close();
await client.close();
await finish();
