import type { ChatMessage, ChatRequest, ModelTurn, ScriptedCall } from '../simulator/model/script.ts';
import { isRecord, parseJson } from '../trust.ts';
import { scriptOf } from './editable-path.ts';
import { type DiffLines, type PlannedChange, planChanges } from './plan-changes.ts';
import { readAnswer } from './read-answer.ts';

/** What plays the model. It knows only what the tools answered, and which lines the pull request's diff shows. */
export type ScriptedAuthor = {
  readonly answer: (request: ChatRequest) => ModelTurn;
  /** What it proposed, with the part that people play on each; empty until then. */
  readonly plan: () => readonly PlannedChange[];
};

const MOST_READ = 6;
/** Files are read from here on, this far above the first changed line. */
const LINES_ABOVE = 400;

/** Starts an author for one run: it looks around, reads, proposes, does what it is told, and ends. */
export function scriptedAuthor(diff: DiffLines): ScriptedAuthor {
  let plan: readonly PlannedChange[] = [];
  const propose = (messages: readonly ChatMessage[]): ModelTurn => {
    const results = toolResults(messages);
    plan = planChanges(filesIn(results), diff, namesIn(results));
    return {
      content: 'I read what this pull request touches, and found a few small things.',
      calls: plan.map(({ call }) => call),
    };
  };
  const answer = ({ messages }: ChatRequest): ModelTurn => {
    const asked = messages.filter(({ role }) => role === 'assistant');
    if (asked.length === 0) return lookAround(messages, diff);
    if (asked.length === 1) return readMore(messages) ?? propose(messages);
    if (!asked.some(isProposal)) return propose(messages);
    return rework(messages, plan) ?? { content: closingWords(messages) };
  };
  return { answer, plan: () => plan };
}

function lookAround(messages: readonly ChatMessage[], diff: DiffLines): ModelTurn {
  const paths = changedPaths(messages).filter((path) => scriptOf(path) !== null);
  const reads = paths
    .slice(0, MOST_READ)
    .map((path) => read(path, Math.max(1, (diff.get(path)?.[0]?.[0] ?? 1) - LINES_ABOVE)));
  return {
    content: 'Looking at the files first.',
    calls: [{ name: 'list_files', arguments: { glob: '*' } }, ...reads],
  };
}

/** The README, for something outside the diff; other texts of the root where the pull request has none to read. */
function readMore(messages: readonly ChatMessage[]): ModelTurn | null {
  const results = toolResults(messages);
  const seen = new Set(filesIn(results).map(({ path }) => path));
  const unread = [...namesIn(results)].filter((name) => scriptOf(name) !== null && !seen.has(name));
  const readme = unread.filter((name) => /^readme\b/i.test(name));
  const wanted = seen.size > 0 ? readme.slice(0, 1) : [...new Set([...readme, ...unread])].slice(0, 4);
  return wanted.length === 0 ? null : { content: null, calls: wanted.map((path) => read(path, 1)) };
}

function read(path: string, start: number): ScriptedCall {
  return { name: 'read_file', arguments: start === 1 ? { path } : { path, start } };
}

function isProposal({ calls }: ChatMessage): boolean {
  return calls.some(({ name }) => name === 'edit_file' || name === 'write_file');
}

const FEEDBACK = '[USER FEEDBACK - Tool was not executed]: ';

/** Proposes anew what somebody wanted done differently in the response before. */
function rework(messages: readonly ChatMessage[], plan: readonly PlannedChange[]): ModelTurn | null {
  const last = messages.findLast(({ role }) => role === 'assistant');
  const answers = new Map(messages.map(({ toolCallId, content }) => [toolCallId, content ?? '']));
  const wanted = last?.calls.filter(({ id }) => answers.get(id)?.startsWith(FEEDBACK)) ?? [];
  const calls = wanted.flatMap((call) => {
    const planned = plan.find(
      ({ path, reworked }) => reworked !== null && call.arguments.includes(JSON.stringify(path)),
    );
    return planned?.reworked ?? [];
  });
  return calls.length === 0 ? null : { content: 'Done differently, as asked.', calls };
}

function closingWords(messages: readonly ChatMessage[]): string {
  const applied = toolResults(messages).filter(
    (result) => result.startsWith('{') && result.includes('"message"'),
  ).length;
  return `${applied} ${applied === 1 ? 'change was' : 'changes were'} applied as approved, what was rejected stays as it is. Nothing is left to do.`;
}

function toolResults(messages: readonly ChatMessage[]): readonly string[] {
  return messages.flatMap(({ role, content }) => (role === 'tool' && content !== null ? [content] : []));
}

function filesIn(results: readonly string[]) {
  return results.flatMap((result) => readAnswer(result) ?? []);
}

/** The names at the root, from the listing that was asked for. */
function namesIn(results: readonly string[]): ReadonlySet<string> {
  const listing = results.find((result) => /^\d+ files? matching "\*"/.test(result)) ?? '';
  return new Set(listing.split('\n').slice(1));
}

/** From the data in the first message. */
function changedPaths(messages: readonly ChatMessage[]): readonly string[] {
  const first = messages.find(({ role }) => role === 'user')?.content ?? '';
  const json = first.slice(first.indexOf('{'), first.indexOf('\n}\n') + 2);
  const data = parseJson(json);
  const paths = isRecord(data) ? data['changed_paths'] : null;
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
}
