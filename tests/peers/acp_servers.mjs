// An editor session with real MCP servers from npm: over stdio, Streamable HTTP and HTTP+SSE, and one that
// does not start. Prints TAP.
// usage: node acp_servers.mjs TREFOIL
import { methods } from '@agentclientprotocol/sdk';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Editor, prompt } from './acp_editor.mjs';
import { equal, finish, freePort, has, here, root, start, test } from './harness.mjs';

process.env.TREFOIL_PROVIDER = 'offline';
const bin = name => join(here, 'node_modules/.bin', name);
await promisify(execFile)('git', ['init', '-q', '-b', 'trunk', root]);
await writeFile(join(root, 'hello.txt'), 'hello from the root');

async function everything(transport, path) {
  const port = await freePort();
  await start(/running on port|listening on port/, process.execPath, [bin('mcp-server-everything'), transport],
    { env: { ...process.env, PORT: String(port) } });
  return `http://127.0.0.1:${port}/${path}`;
}

const mcpServers = [
  { name: 'files', command: process.execPath, args: [bin('mcp-server-filesystem'), root], env: [] },
  { name: 'git', command: process.execPath, args: [bin('git-mcp-server')], env: [
    { name: 'MCP_TRANSPORT_TYPE', value: 'stdio' }, { name: 'MCP_LOG_LEVEL', value: 'error' },
    { name: 'HOME', value: root }] },
  { type: 'http', name: 'web', url: await everything('streamableHttp', 'mcp'), headers: [] },
  { type: 'sse', name: 'old', url: await everything('sse', 'sse'), headers: [] },
  { name: 'broken', command: '/nonexistent/server', args: [], env: [] },
];
const calls = [
  ['mcp_files_read_text_file', { path: join(root, 'hello.txt') }, 'hello from the root'],
  ['mcp_git_git_status', { path: root }, 'trunk'],
  ['mcp_web_echo', { message: 'over HTTP' }, 'Echo: over HTTP'],
  ['mcp_old_echo', { message: 'over SSE' }, 'Echo: over SSE'],
];

await test('the tools of all servers work in the session, and the broken server is named', async () => {
  const editor = new Editor();
  await editor.run({}, async context => {
    const { sessionId } = await context.request(methods.agent.session.new, { cwd: root, mcpServers });
    for (const [tool, args, want] of calls) {
      await prompt(context, sessionId, `/call ${tool} ${JSON.stringify(args)}`);
      equal(editor.of(sessionId, 'tool_call_update').at(-1).status, 'completed');
      has(editor.text(sessionId), want);
    }
    has(editor.text(sessionId), 'MCP server broken: could not be connected');
    editor.updates = [];
    await prompt(context, sessionId, '/tools');
    for (const [tool] of calls) has(editor.text(sessionId), tool);
  });
});

await test('another session has none of them', async () => {
  const editor = new Editor();
  await editor.run({}, async context => {
    const { sessionId } = await context.request(methods.agent.session.new, { cwd: root, mcpServers: [] });
    await prompt(context, sessionId, '/tools');
    equal(editor.text(sessionId).includes('mcp_'), false);
  });
});

await finish();
