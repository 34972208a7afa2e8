// An agent on the official SDK, which checks everything it receives. The first word of a prompt
// selects what it does.
import { createHash } from "node:crypto";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const { agent: theirs, client: ours } = acp.methods;
const sessions = new Map();
const turns = new Map();

async function play(cx, id, text, signal) {
  const tell = (update) => cx.notify(ours.session.update, { sessionId: id, update });
  const say = (words) =>
    tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } });
  const [word, path] = text.split(" ");
  if (word === "write") {
    const toolCall = { toolCallId: "t", title: "Write " + path, kind: "edit", rawInput: { path } };
    await tell({ sessionUpdate: "tool_call", status: "pending", ...toolCall });
    const answer = await cx.request(ours.session.requestPermission, {
      sessionId: id, toolCall,
      options: [{ optionId: "y", name: "Yes", kind: "allow_once" },
                { optionId: "n", name: "No", kind: "reject_once" }],
    });
    if (answer.outcome.outcome === "selected" && answer.outcome.optionId === "y") {
      await cx.request(ours.fs.writeTextFile, { sessionId: id, path, content: "made\n" });
      const { content } = await cx.request(ours.fs.readTextFile, { sessionId: id, path });
      await tell({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed",
        content: [{ type: "diff", path, oldText: null, newText: content }] });
      await say("FINAL written");
    } else {
      await tell({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "failed" });
      await say("FINAL refused");
    }
  } else if (word === "run") {
    const terminal = await cx.createTerminal({ sessionId: id, command: "echo", args: ["from", "echo"] });
    await tell({ sessionUpdate: "tool_call", toolCallId: "r", title: "echo", kind: "execute",
      status: "in_progress", content: [{ type: "terminal", terminalId: terminal.id }] });
    const { exitCode } = await terminal.waitForExit();
    await tell({ sessionUpdate: "tool_call_update", toolCallId: "r", status: "completed",
      content: [{ type: "terminal", terminalId: terminal.id }] });
    const { output } = await terminal.currentOutput();
    await terminal.release();
    await say(`${output.trim()} ${exitCode}`);
  } else if (word === "wait") {
    await tell({ sessionUpdate: "tool_call", toolCallId: "w", title: "Wait", status: "in_progress" });
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { stopReason: "cancelled" };
  } else {
    await say("Hello from the SDK");
  }
  return { stopReason: "end_turn" };
}

acp
  .agent({ name: "mini" })
  .onRequest(theirs.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: { loadSession: false },
    agentInfo: { name: "mini", version: "1" },
  }))
  .onRequest(theirs.session.new, ({ params }) => {
    const sessionId = createHash("sha256").update(params.cwd + sessions.size).digest("hex");
    sessions.set(sessionId, params);
    return { sessionId };
  })
  .onRequest(theirs.session.prompt, async ({ params, client }) => {
    const abort = new AbortController();
    turns.set(params.sessionId, abort);
    const last = params.prompt.at(-1);
    return play(client, params.sessionId, last.text, abort.signal);
  })
  .onNotification(theirs.session.cancel, ({ params }) => turns.get(params.sessionId)?.abort())
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
