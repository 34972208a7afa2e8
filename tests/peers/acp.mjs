// The official TypeScript client of ACP against a build of trefoil: an editor with files and permissions.
// Every message of trefoil is checked against the official schema. Prints TAP.
// usage: node acp.mjs TREFOIL
import { methods } from '@agentclientprotocol/sdk';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Editor, open, prompt } from './acp_editor.mjs';
import { equal, finish, has, root, test } from './harness.mjs';

process.env.TREFOIL_PROVIDER = 'offline';
await mkdir(join(root, '.git'));

await test('a prompt streams its answer, and all messages are valid', async () => {
  const editor = new Editor();
  await editor.run({}, async context => {
    const session = await open(context);
    equal((await prompt(context, session, '/echo Hello there')).stopReason, 'end_turn');
    equal(editor.text(session), 'Hello there');
  });
});

await test('an edit asks, shows its diff and lands in the buffer of the editor', async () => {
  const editor = new Editor(), path = join(root, 'a.txt');
  await writeFile(path, 'on the disk');
  editor.buffers.set(path, 'not saved');
  await editor.run({ fs: { readTextFile: true, writeTextFile: true } }, async context => {
    const session = await open(context);
    await prompt(context, session,
      '/call file_edit {"path":"a.txt","old_text":"not saved","new_text":"edited"}');
    equal(editor.buffers.get(path), 'edited');
    equal(await readFile(path, 'utf8'), 'on the disk');
    const last = editor.of(session, 'tool_call_update').at(-1);
    const diff = last.content.find(c => c.type === 'diff');
    equal([diff.path, diff.oldText, diff.newText], [path, 'not saved', 'edited']);
  });
});

await test('a command outside of the sandbox asks for permission', async () => {
  const editor = new Editor();
  await editor.run({}, async context => {
    const session = await open(context), call = '/call shell_exec {"argv":["true"],"sandbox":"off"}';
    await prompt(context, session, call);
    equal(editor.asked.length, 1);
    equal(editor.of(session, 'tool_call_update').at(-1).status, 'completed');
    editor.choice = 'reject_once';
    await prompt(context, session, call);
    equal(editor.of(session, 'tool_call_update').at(-1).status, 'failed');
  });
});

await test('sessions are listed, loaded, resumed, closed and deleted', async () => {
  const editor = new Editor();
  await editor.run({}, async context => {
    const session = await open(context);
    await prompt(context, session, '/echo kept');
    await context.request(methods.agent.session.setMode, { sessionId: session, modeId: 'read-only' });
    await context.request(methods.agent.session.setConfigOption,
      { sessionId: session, configId: 'thought_level', value: 'low' });
    await context.request(methods.agent.session.close, { sessionId: session });
    const { sessions } = await context.request(methods.agent.session.list, { cwd: root });
    has(sessions.map(s => s.sessionId), session);
    editor.updates = [];
    const loaded = await context.request(methods.agent.session.load,
      { sessionId: session, cwd: root, mcpServers: [] });
    equal(loaded.modes.currentModeId, 'read-only');
    equal(editor.text(session), 'kept');
    await context.request(methods.agent.session.resume, { sessionId: session, cwd: root });
    await context.request(methods.agent.session.delete, { sessionId: session });
    const rest = await context.request(methods.agent.session.list, { cwd: root });
    equal(rest.sessions.filter(s => s.sessionId === session), []);
  });
});

await test('a cancelled prompt ends with cancelled', async () => {
  const editor = new Editor();
  await editor.run({}, async context => {
    const session = await open(context), running = prompt(context, session, '/sleep 600');
    await context.notify(methods.agent.session.cancel, { sessionId: session });
    equal((await running).stopReason, 'cancelled');
  });
});

await finish();
