import type { ChatMessage, ChatRequest, ScriptedCall, ScriptedTurn } from '../fakes/model/script.ts';
import { isRecord, parseJson } from '../src/lib/trust.ts';
import {
  type CleanupFinding,
  commentStyleOf,
  createNote,
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

/** Creates an agent for one run. Its turns: explore, read, propose, revise as instructed, finish. */
export function createScriptedAgent(diff: HunkLinesByPath): ScriptedAgent {
  let plan: readonly PlannedChange[] = [];
  const propose = (messages: readonly ChatMessage[]): ScriptedTurn => {
    const results = toolResults(messages);
    const { title } = readPullData(messages);
    plan = planChanges({
      files: parseReadFiles(results),
      diff,
      existingPaths: parseFileList(results, 'matching "*"'),
      title,
    });
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
  const paths = readPullData(messages).changedPaths.filter((path) => commentStyleOf(path) !== null);
  const reads = paths
    .slice(0, MAX_FIRST_READS)
    .map((path) => createReadCall(path, Math.max(1, (diff.get(path)?.[0]?.first ?? 1) - MAX_LINES_ABOVE)));
  const lists = [{}, { glob: '*' }].map((given) => ({ name: 'list_files', arguments: given }));
  return { content: 'Looking at the files first.', calls: [...lists, ...reads] };
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

/** Reads the pull request’s data from the first message. */
function readPullData(messages: readonly ChatMessage[]): {
  readonly title: string;
  readonly changedPaths: readonly string[];
} {
  const first = messages.find(({ role }) => role === 'user')?.content ?? '';
  const json = first.slice(first.indexOf('{'), first.indexOf('\n}\n') + 2);
  const data = parseJson(json);
  const [title, changed] = isRecord(data) ? [data['title'], data['changed']] : [];
  return {
    title: typeof title === 'string' ? title : '',
    changedPaths: Array.isArray(changed) ? changed.flatMap(pathOf) : [],
  };
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

type PlanInput = {
  readonly files: readonly ReadFileResult[];
  readonly diff: HunkLinesByPath;
  /** Paths at the root of the repository. */
  readonly existingPaths: ReadonlySet<string>;
  readonly title: string;
};

/** Plans one change for each kind of decision. */
export function planChanges({ files, diff, existingPaths, title }: PlanInput): readonly PlannedChange[] {
  const choose = createChooser(files.flatMap(findCleanups));
  const inDiff = (finding: CleanupFinding): boolean => isInDiff(diff, finding);
  const notes = createChooser(
    files.flatMap((file) => (diff.get(file.path) ?? []).flatMap((hunk) => createNote(file, hunk, title) ?? [])),
  );
  const crlfPaths = new Set(files.filter(({ usesCrlf }) => usesCrlf).map(({ path }) => path));
  const canBeSuggestion = (finding: CleanupFinding): boolean => inDiff(finding) && !crlfPaths.has(finding.path);
  const suggestion = choose(canBeSuggestion, []) ?? notes(canBeSuggestion, []);
  const outside = choose((finding) => !inDiff(finding), [suggestion]);
  const approved = choose(inDiff, [suggestion, outside]) ?? choose(() => true, [suggestion, outside]);
  const chosen = [suggestion, outside, approved];
  const denied = choose(inDiff, chosen) ?? notes(inDiff, chosen) ?? choose(() => true, chosen);
  const plannedFile = planNewFile(files, existingPaths);
  return [
    ...toPlannedChange(files, suggestion, { kind: 'commit-suggestion' }),
    ...toPlannedChange(files, approved, { kind: 'approve' }),
    ...toPlannedChange(files, outside, { kind: 'approve' }),
    ...(denied === null
      ? [createUnwantedFile(new Set([...existingPaths, plannedFile.path]))]
      : toPlannedChange(files, denied, { kind: 'deny', comment: denied.objection })),
    {
      path: plannedFile.path,
      line: 0,
      call: createWriteCall(plannedFile.path, plannedFile.content, plannedFile.reason),
      decision: { kind: 'instruct', comment: plannedFile.requestedEdit },
      revision: createWriteCall(
        plannedFile.path,
        plannedFile.revisedContent,
        `${plannedFile.reason} The first line now explains the purpose.`,
      ),
    },
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

function createWriteCall(path: string, content: string, reason: string): ScriptedCall {
  return { name: 'write_file', arguments: { path, content, reason } };
}

function createUnwantedFile(existingPaths: ReadonlySet<string>): PlannedChange {
  const { path, content, reason } = planStyleGuide(existingPaths);
  const decision = { kind: 'deny', comment: 'we don’t need a file for this' } as const;
  return { path, line: 0, call: createWriteCall(path, content, reason), decision, revision: null };
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
    const newText = newLines.join('\n') + (endsBeforeLast || addsFinalNewline ? '\n' : '');
    const isWholeFile = from === 0 && to === lines.length;
    if (isWholeFile || isUnique(lines.join('\n'), oldText))
      return { path, old_string: oldText, new_string: newText, reason };
  }
}

function isUnique(text: string, search: string): boolean {
  const first = text.indexOf(search);
  return first !== -1 && text.indexOf(search, first + 1) === -1;
}

/** A small new file, with the instruction to revise it and its revised content. */
type NewFile = {
  readonly path: string;
  readonly content: string;
  readonly reason: string;
  readonly requestedEdit: string;
  readonly revisedContent: string;
};

/** Returns the EditorConfig settings for the indentation of most lines. */
function indentStyle(files: readonly ReadFileResult[]): readonly string[] {
  const lines = files.filter(({ path }) => !/\.(?:md|markdown|txt|rst|adoc)$/.test(path)).flatMap((file) => file.lines);
  const tabs = lines.filter((line) => line.startsWith('\t')).length;
  const widths = lines.flatMap((line) => /^( +)\S/.exec(line)?.[1]?.length ?? []);
  if (tabs > widths.length) return ['indent_style = tab'];
  if (widths.length === 0) return [];
  const multiplesOfFour = widths.filter((width) => width % 4 === 0).length;
  return ['indent_style = space', `indent_size = ${multiplesOfFour >= widths.length * 0.8 ? 4 : 2}`];
}

function editorConfig(files: readonly ReadFileResult[]): string {
  const style = ['charset = utf-8', 'insert_final_newline = true', ...indentStyle(files)];
  return ['root = true', '', '[*]', ...style, ''].join('\n');
}

const EDITOR_CONFIG_COMMENT = 'Makes editors follow the style of the existing files.';

/** Plans a new file. `existingPaths` are the paths at the root of the repository. */
function planNewFile(files: readonly ReadFileResult[], existingPaths: ReadonlySet<string>): NewFile {
  const requestedEdit = 'Good idea, but please explain its purpose in the first line.';
  if (!existingPaths.has('.editorconfig')) {
    const content = editorConfig(files);
    const reason = 'Makes editors follow the style of this repository.';
    return {
      path: '.editorconfig',
      content,
      reason,
      requestedEdit,
      revisedContent: `# ${EDITOR_CONFIG_COMMENT}\n${content}`,
    };
  }
  const path = ['REVIEWING.md', 'CODE-REVIEW.md'].find((name) => !existingPaths.has(name)) ?? 'REVIEW-PROCESS.md';
  const content = '# Reviewing\n\nEvery change is shown as a diff and applied only after an approval.\n';
  const revisedContent = content.replace('\n\n', '\n\nFor first-time reviewers.\n\n');
  return {
    path,
    content,
    reason: 'Documents how changes are reviewed in this repository.',
    requestedEdit,
    revisedContent,
  };
}

/** Plans a file to deny when there is no other change to deny. */
function planStyleGuide(existingPaths: ReadonlySet<string>): Pick<NewFile, 'path' | 'content' | 'reason'> {
  const path = ['STYLE.md', 'STYLE-NOTES.md'].find((name) => !existingPaths.has(name)) ?? 'WRITING-STYLE.md';
  const content = '# Style\n\nMake one change per commit. Write comments as full sentences.\n';
  return { path, content, reason: 'Documents the current style.' };
}
