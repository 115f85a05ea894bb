import type { ChatMessage, ChatRequest, ScriptedCall, ScriptedTurn } from '../fakes/model/script.ts';
import { isRecord, parseJson } from '../src/lib/trust.ts';
import {
  type CleanupFinding,
  commentStyleOf,
  findCleanups,
  parseReadFileResult,
  type ReadFileResult,
} from './find-changes.ts';

/** A script that plays the model. It uses only the tool results and the diff of the pull request. */
type ScriptedAgent = {
  readonly answer: (request: ChatRequest) => ScriptedTurn;
  /** The proposed changes with the planned decisions; empty before the proposal. */
  readonly plan: () => readonly PlannedChange[];
};

const MAX_FIRST_READS = 6;

const MAX_FURTHER_READS = 6;

/** Reading starts this many lines above the first changed line. */
const MAX_LINES_ABOVE = 400;

/** What the script says where it finds nothing to propose. */
export const CANNOT_CODE =
  'A script plays the model, and it cannot code: in the lines that this pull request changes it found no unused import, no typo and no stray white space.';

/**
 * Creates an agent for one run. Its turns: explore, read, propose, revise as instructed, finish. It proposes the given
 * changes, or what it finds.
 */
export function createScriptedAgent(diff: HunkLinesByPath, given: readonly PlannedChange[] = []): ScriptedAgent {
  let plan: readonly PlannedChange[] = [];
  const propose = (messages: readonly ChatMessage[]): ScriptedTurn => {
    plan = given.length > 0 ? given : planChanges(parseReadFiles(toolResults(messages)), diff);
    if (plan.length === 0) return { content: CANNOT_CODE };
    return {
      content: 'I read the files of this pull request and found a few small things to fix.',
      calls: plan.map(({ call }) => call),
    };
  };
  const answer = ({ messages }: ChatRequest): ScriptedTurn => {
    const assistantMessages = messages.filter(({ role }) => role === 'assistant');
    if (assistantMessages.length === 0) return exploreRepository(messages, diff);
    if (assistantMessages.length === 1) return readFurtherFiles(messages) ?? propose(messages);
    if (!assistantMessages.some(isProposal)) return propose(messages);
    return reviseProposals(messages, plan) ?? { content: summarizeRun(messages) };
  };
  return { answer, plan: () => plan };
}

function exploreRepository(messages: readonly ChatMessage[], diff: HunkLinesByPath): ScriptedTurn {
  const paths = readChangedPaths(messages).filter((path) => commentStyleOf(path) !== null);
  const reads = paths
    .slice(0, MAX_FIRST_READS)
    .map((path) => createReadCall(path, Math.max(1, (diff.get(path)?.[0]?.first ?? 1) - MAX_LINES_ABOVE)));
  return { content: 'Looking at the files first.', calls: [{ name: 'list_files', arguments: {} }, ...reads] };
}

/** Reads the README and files from the whole repository, to find changes outside the diff. */
function readFurtherFiles(messages: readonly ChatMessage[]): ScriptedTurn | null {
  const results = toolResults(messages);
  const readPaths = new Set(parseReadFiles(results).map(({ path }) => path));
  const unread = [...parseFileList(results, 'in the repository')].filter(
    (name) => commentStyleOf(name) !== null && !readPaths.has(name),
  );
  const readme = unread.filter((name) => /^(?:readme|contributing)\b/i.test(name));
  const others = unread.filter((name) => commentStyleOf(name)?.kind === 'code' && !/test|spec|example/i.test(name));
  const spread = others.filter((_, index) => index % Math.ceil(others.length / MAX_FURTHER_READS) === 0);
  const wanted = [...readme, ...spread];
  return wanted.length === 0 ? null : { content: null, calls: wanted.map((path) => createReadCall(path, 1)) };
}

function createReadCall(path: string, start: number): ScriptedCall {
  return { name: 'read_file', arguments: start === 1 ? { path } : { path, start } };
}

function isProposal({ calls }: ChatMessage): boolean {
  return calls.some(({ name }) => name === 'edit_file' || name === 'write_file');
}

const FEEDBACK_PREFIX = '[USER FEEDBACK - Tool was not executed]: ';

/** Proposes the revision of each change that a person asked to revise. */
function reviseProposals(messages: readonly ChatMessage[], plan: readonly PlannedChange[]): ScriptedTurn | null {
  const last = messages.findLast(({ role }) => role === 'assistant');
  const answers = new Map(messages.map(({ toolCallId, content }) => [toolCallId, content ?? '']));
  const wanted = last?.calls.filter(({ id }) => answers.get(id)?.startsWith(FEEDBACK_PREFIX)) ?? [];
  const calls = wanted.flatMap((call) => {
    const planned = plan.find(
      ({ path, revision }) => revision !== null && call.arguments.includes(JSON.stringify(path)),
    );
    return planned?.revision ?? [];
  });
  return calls.length === 0 ? null : { content: 'Revised as instructed.', calls };
}

function summarizeRun(messages: readonly ChatMessage[]): string {
  const applied = toolResults(messages).filter(
    (result) => result.startsWith('{') && result.includes('"message"'),
  ).length;
  return `${applied} ${applied === 1 ? 'change was' : 'changes were'} applied as approved. Rejected changes were left out. The task is complete.`;
}

function toolResults(messages: readonly ChatMessage[]): readonly string[] {
  return messages.flatMap(({ role, content }) => (role === 'tool' && content !== null ? [content] : []));
}

function parseReadFiles(results: readonly string[]) {
  return results.flatMap((result) => parseReadFileResult(result) ?? []);
}

/** Parses the paths of a `list_files` result, which has at most 1,000 entries. */
function parseFileList(results: readonly string[], which: string): ReadonlySet<string> {
  const listing = results.find((result) => /^\d+ files? /.test(result) && result.includes(which)) ?? '';
  return new Set(listing.split('\n').slice(1));
}

/** Reads the paths that the pull request changes from the first message. */
function readChangedPaths(messages: readonly ChatMessage[]): readonly string[] {
  const first = messages.find(({ role }) => role === 'user')?.content ?? '';
  const json = first.slice(first.indexOf('{'), first.indexOf('\n}\n') + 2);
  const data = parseJson(json);
  const changed = isRecord(data) ? data['changed'] : null;
  return Array.isArray(changed) ? changed.flatMap(pathOf) : [];
}

function pathOf(row: unknown): readonly string[] {
  const path = isRecord(row) ? row['path'] : undefined;
  return typeof path === 'string' ? [path] : [];
}

/** A hunk of the diff: the shown lines of the head and the first changed one, 1-based. */
export type HunkLines = { readonly first: number; readonly last: number; readonly changed: number };

export type HunkLinesByPath = ReadonlyMap<string, readonly HunkLines[]>;

/** The planned decision on a change. */
export type PlannedDecision =
  | { readonly kind: 'commit-suggestion' | 'approve' }
  | { readonly kind: 'deny'; readonly comment: string }
  | { readonly kind: 'instruct'; readonly comment: string };

/** A planned tool call with the decision on it. `line` is the line in the proposal’s title, 0 for a new file. */
export type PlannedChange = {
  readonly path: string;
  readonly line: number;
  readonly call: ScriptedCall;
  readonly decision: PlannedDecision;
  /** The tool call after the instruction. */
  readonly revision: ScriptedCall | null;
};

/** The minimum distance between two changes of a file, so that neither appears in the other’s context. */
const MIN_LINES_APART = 8;

/** Plans at most one change for each kind of decision, the first inside of the diff; none if nothing there is found. */
export function planChanges(files: readonly ReadFileResult[], diff: HunkLinesByPath): readonly PlannedChange[] {
  const choose = createChooser(files.flatMap(findCleanups));
  const inDiff = (finding: CleanupFinding): boolean => isInDiff(diff, finding);
  const crlfPaths = new Set(files.filter(({ usesCrlf }) => usesCrlf).map(({ path }) => path));
  const suggestion = choose((finding) => inDiff(finding) && !crlfPaths.has(finding.path), []);
  const approved = choose(inDiff, [suggestion]);
  if (suggestion === null && approved === null) return [];
  const outside = choose((finding) => !inDiff(finding), [suggestion, approved]);
  const denied = choose(() => true, [suggestion, approved, outside]);
  return [
    ...toPlannedChange(files, suggestion, { kind: 'commit-suggestion' }),
    ...toPlannedChange(files, approved, { kind: 'approve' }),
    ...toPlannedChange(files, outside, { kind: 'approve' }),
    ...toPlannedChange(files, denied, { kind: 'deny', comment: denied?.objection ?? '' }),
  ];
}

type ChooseFinding = (
  fits: (finding: CleanupFinding) => boolean,
  chosen: readonly (CleanupFinding | null)[],
) => CleanupFinding | null;

/** Creates a function that picks the best finding that is not near a chosen one, if possible in another file. */
function createChooser(findings: readonly CleanupFinding[]): ChooseFinding {
  return (fits, chosen) => {
    const others = chosen.filter((one) => one !== null);
    const score = ({ score, path }: CleanupFinding): number =>
      score - 3 * others.filter((one) => one.path === path).length;
    const candidates = findings.filter((one) => fits(one) && others.every((other) => !isNear(one, other)));
    return candidates.toSorted((left, right) => score(right) - score(left))[0] ?? null;
  };
}

function isInDiff(diff: HunkLinesByPath, { path, line, removedLines, index }: CleanupFinding): boolean {
  // An insertion is shown at the line above it, or at the first line of the file.
  const start = removedLines === 0 && index > 0 ? line - 1 : line;
  return (diff.get(path) ?? []).some(({ first, last }) => start >= first && line <= last);
}

function isNear(left: CleanupFinding, right: CleanupFinding): boolean {
  return left.path === right.path && Math.abs(left.line - right.line) < MIN_LINES_APART;
}

function toPlannedChange(
  files: readonly ReadFileResult[],
  finding: CleanupFinding | null,
  decision: PlannedDecision,
): readonly PlannedChange[] {
  const file = files.find(({ path }) => path === finding?.path);
  if (finding === null || file === undefined) return [];
  const call = { name: 'edit_file', arguments: createEditArguments(file, finding) };
  return [{ path: finding.path, line: finding.line, call, decision, revision: null }];
}

/** Creates the arguments of `edit_file`, with context lines until the old text is unique in the file. */
function createEditArguments(
  file: ReadFileResult,
  { path, index, removedLines, addedLines, reason }: CleanupFinding,
): Readonly<Record<string, unknown>> {
  const { lines } = file;
  for (let around = removedLines === 0 ? 1 : 0; ; around += 1) {
    const from = Math.max(0, index - around);
    const to = Math.min(lines.length, index + removedLines + around);
    const oldLines = lines.slice(from, to);
    const newLines = [...lines.slice(from, index), ...addedLines, ...lines.slice(index + removedLines, to)];
    // The new text ends with a newline if the file continues, or if the change adds the final newline.
    const addsFinalNewline = removedLines === 1 && addedLines[0] === lines[index];
    const endsBeforeLast = to < lines.length;
    const oldText = oldLines.join('\n') + (endsBeforeLast ? '\n' : '');
    const endsLine = newLines.length > 0 && (endsBeforeLast || addsFinalNewline);
    const newText = newLines.join('\n') + (endsLine ? '\n' : '');
    const isWholeFile = from === 0 && to === lines.length;
    if (isWholeFile || isUnique(lines.join('\n'), oldText))
      return { path, old_string: oldText, new_string: newText, reason };
  }
}

function isUnique(text: string, search: string): boolean {
  const first = text.indexOf(search);
  return first !== -1 && text.indexOf(search, first + 1) === -1;
}
