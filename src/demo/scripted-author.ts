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
const MORE_READ = 6;
/** Files are read from here on, this far above the first changed line. */
const LINES_ABOVE = 400;

/** Starts an author for one run: it looks around, reads, proposes, does what it is told, and ends. */
export function scriptedAuthor(diff: DiffLines): ScriptedAuthor {
  let plan: readonly PlannedChange[] = [];
  const propose = (messages: readonly ChatMessage[]): ModelTurn => {
    const results = toolResults(messages);
    const { title } = pullData(messages);
    plan = planChanges({ files: filesIn(results), diff, taken: listed(results, 'matching "*"'), title });
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
  const paths = pullData(messages).changedPaths.filter((path) => scriptOf(path) !== null);
  const reads = paths
    .slice(0, MOST_READ)
    .map((path) => read(path, Math.max(1, (diff.get(path)?.[0]?.first ?? 1) - LINES_ABOVE)));
  const lists = [{}, { glob: '*' }].map((given) => ({ name: 'list_files', arguments: given }));
  return { content: 'Looking at the files first.', calls: [...lists, ...reads] };
}

/** The README and a few files from all over the repository, for something outside the diff. */
function readMore(messages: readonly ChatMessage[]): ModelTurn | null {
  const results = toolResults(messages);
  const seen = new Set(filesIn(results).map(({ path }) => path));
  const unread = [...listed(results, 'in the repository')].filter((name) => scriptOf(name) !== null && !seen.has(name));
  const readme = unread.filter((name) => /^(?:readme|contributing)\b/i.test(name));
  const others = unread.filter((name) => scriptOf(name)?.kind === 'code' && !/test|spec|example/i.test(name));
  const spread = others.filter((_, index) => index % Math.ceil(others.length / MORE_READ) === 0);
  const wanted = [...readme, ...spread];
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

/** The names of a listing that was asked for; all but the first thousand of them are left out of it. */
function listed(results: readonly string[], which: string): ReadonlySet<string> {
  const listing = results.find((result) => /^\d+ files? /.test(result) && result.includes(which)) ?? '';
  return new Set(listing.split('\n').slice(1));
}

/** What the first message says of the pull request. */
function pullData(messages: readonly ChatMessage[]): {
  readonly title: string;
  readonly changedPaths: readonly string[];
} {
  const first = messages.find(({ role }) => role === 'user')?.content ?? '';
  const json = first.slice(first.indexOf('{'), first.indexOf('\n}\n') + 2);
  const data = parseJson(json);
  const [title, paths] = isRecord(data) ? [data['title'], data['changed_paths']] : [];
  return {
    title: typeof title === 'string' ? title : '',
    changedPaths: Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [],
  };
}
