import type { ChatMessage, ChatRequest, ScriptedCall, ScriptedTurn } from '../../fakes/model/script.ts';

/** A change that the scripted model proposes, and the one that it proposes instead if people want it otherwise. */
export type ScriptedChange = { readonly call: ScriptedCall; readonly again?: ScriptedCall };

export type SceneScript = {
  /** The model's words beside its proposals. */
  readonly says: string;
  readonly changes: readonly ScriptedChange[];
  /** Proposed when the checks of the App's commit fail. */
  readonly fix?: ScriptedChange;
  readonly closing: string;
};

export function editCall(path: string, before: string, after: string, reason: string): ScriptedCall {
  return { name: 'edit_file', arguments: { path, old_string: before, new_string: after, reason } };
}

export function writeCall(path: string, content: string, reason: string): ScriptedCall {
  return { name: 'write_file', arguments: { path, content, reason } };
}

const PROPOSING: ReadonlySet<string> = new Set(['edit_file', 'write_file']);

/** Answers as the script says, from the messages of the request alone: read, propose, revise, close. */
export function answerByScript(script: SceneScript, { messages, tools }: ChatRequest): ScriptedTurn {
  if (!tools.some(({ name }) => PROPOSING.has(name)))
    return {
      content: 'I am a script without an opinion. Start the demo with `--model NAME`, and a real model answers.',
    };
  const turns = messages.filter(({ role }) => role === 'assistant');
  const proposing = turns.filter(({ calls }) => calls.some(({ name }) => PROPOSING.has(name)));
  if (turns.length === 0) return { content: 'I read the files first.', calls: readCalls(script) };
  if (proposing.length === 0) return { content: script.says, calls: script.changes.map(({ call }) => call) };
  const fix = script.fix;
  if (fix !== undefined && isToldOfFailure(messages) && proposing.length < 2)
    return { content: 'The checks failed on a case that I had not thought of.', calls: [fix.call] };
  const again = proposing.length > 1 ? [] : callsAgain(script, messages);
  return again.length > 0 ? { content: 'A new version, as you asked.', calls: again } : { content: script.closing };
}

function readCalls({ changes }: SceneScript): readonly ScriptedCall[] {
  const paths = changes.flatMap(({ call }) => (call.name === 'edit_file' ? [pathOf(call)] : []));
  return [...new Set(paths)].map((path) => ({ name: 'read_file', arguments: { path } }));
}

function pathOf({ arguments: given }: ScriptedCall): string {
  return typeof given === 'string' ? '' : String(given['path']);
}

/** What was neither applied nor denied is proposed anew. */
function callsAgain({ changes }: SceneScript, messages: readonly ChatMessage[]): readonly ScriptedCall[] {
  const last = messages.findLast(({ role }) => role === 'assistant');
  const outputs = new Map(messages.map(({ toolCallId, content }) => [toolCallId, content ?? '']));
  const open = last?.calls.filter(({ id }) => !/^\{|^Rejected/.test(outputs.get(id) ?? '{')) ?? [];
  return changes.flatMap(({ call, again }) =>
    again !== undefined && open.some((one) => one.arguments.includes(JSON.stringify(pathOf(call)))) ? [again] : [],
  );
}

/** Whether the last thing that the model heard is that checks failed. */
function isToldOfFailure(messages: readonly ChatMessage[]): boolean {
  const last = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return messages.at(-1)?.role === 'user' && /\bfail/i.test(last);
}
