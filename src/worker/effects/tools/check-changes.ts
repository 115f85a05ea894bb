import { hash } from 'node:crypto';
import { formatsOf } from '../../../adapters/syntax/formats.ts';
import { findNewSyntaxError } from '../../../adapters/syntax/new-syntax-error.ts';
import { brokenFileOutput } from '../../../core/agent/turn-texts.ts';
import { type BlobRef, type Change, membersOf, type Region } from '../../../core/edits/change.ts';
import { resultsOf } from '../../../core/edits/change-set.ts';
import { areRegionsTouching, composeFile } from '../../../core/edits/region.ts';
import { decodeText } from '../../../core/edits/text/characters.ts';
import { isSameCall } from '../../../core/state/conversation.ts';
import type { SyntaxProblem } from '../../../core/state/proposal.ts';
import type { DraftChange, DraftPart, NumberedResult, Workspace } from './workspace.ts';

/** Time for all checks of a batch (ms). Later changes are shown without one. */
const MAX_CHECKS_MS = 5_000;

/** The regions of the batch that people will see, by path. */
type SeenRegions = ReadonlyMap<string, readonly Region[]>;

/**
 * Refuses the changes after which a file would no longer parse, each judged with the earlier ones of the batch. A
 * change that the model sends again is not refused but marked, so that people are warned.
 */
export async function checkChanges(
  workspace: Workspace,
  results: readonly NumberedResult[],
): Promise<readonly NumberedResult[]> {
  const deadline = workspace.now() + MAX_CHECKS_MS;
  const checked: NumberedResult[] = [];
  for (const result of results) {
    if (result.kind !== 'change' || workspace.now() > deadline) checked.push(result);
    else checked.push(...(await checkChange(workspace, result, seenRegions(checked))));
  }
  return checked;
}

/** Without those of changes that touch an earlier one, because they are not applied beside it. */
function seenRegions(results: readonly NumberedResult[]): SeenRegions {
  const seen = new Map<string, readonly Region[]>();
  for (const result of results) {
    if (result.kind !== 'change' || touches(result.change, seen)) continue;
    for (const { path, regions } of resultingFiles(result.change))
      seen.set(path, [...(seen.get(path) ?? []), ...regions]);
  }
  return seen;
}

function touches(change: Change, seen: SeenRegions): boolean {
  return resultingFiles(change).some(({ path, regions }) =>
    (seen.get(path) ?? []).some((one) => regions.some((region) => areRegionsTouching(one, region))),
  );
}

/** A file whose text a change edits or creates. `base` is null for a new one. */
type ResultingFile = { readonly path: string; readonly base: BlobRef | null; readonly regions: readonly Region[] };

function resultingFiles(change: Change): readonly ResultingFile[] {
  const files = new Map<string, ResultingFile>();
  for (const { op, path, base, region } of membersOf(change)) {
    if (region === null || op === 'delete') continue;
    files.set(path, { path, base, regions: [...(files.get(path)?.regions ?? []), region] });
  }
  return [...files.values()];
}

async function checkChange(
  workspace: Workspace,
  result: NumberedChange,
  seen: SeenRegions,
): Promise<readonly NumberedResult[]> {
  const { change, parts, calls } = result;
  // These are not shown to people at all, or only once another one is decided.
  if (workspace.isAnsweredEarlier(change) || touches(change, seen)) return [result];
  const problems = await findProblems(workspace, change, seen);
  const [problem] = problems;
  if (problem === undefined) return [result];
  const outcome = outcomeKey(change);
  const keys = parts.flatMap((part) => callKey(change, part) ?? []);
  const isRefused = (key: string): boolean => workspace.syntaxRefusals.has(key);
  if (isRefused(outcome) || (keys.length > 0 && keys.every(isRefused)))
    return [{ ...result, syntaxProblems: problems }];
  return calls.map((call) => {
    const part = parts.find((one) => isSameCall(one.call, call));
    const own = part === undefined ? null : callKey(change, part);
    const syntaxRefusals = own === null ? [outcome] : [own, outcome];
    return { ...call, kind: 'output', output: brokenFileOutput(problem), readBlob: null, syntaxRefusals };
  });
}

/** The first problem of each file of the change, in order. */
async function findProblems(
  workspace: Workspace,
  change: Change,
  seen: SeenRegions,
): Promise<readonly SyntaxProblem[]> {
  const problems: SyntaxProblem[] = [];
  for (const { path, base, regions } of resultingFiles(change)) {
    if (formatsOf(path).length === 0) continue;
    const bytes = base === null ? new Uint8Array() : await workspace.github.fetchBlob(base.blob);
    const file = { path, isNew: base === null, bytes, earlier: seen.get(path) ?? [], changes: regions };
    const problem = await findSyntaxProblem(workspace, file);
    if (problem !== null) problems.push(problem);
  }
  return problems;
}

type NumberedChange = DraftChange & { readonly turn: number };

/** A file with the changes of it that are checked; `isNew` tells that there is none yet, and `bytes` are empty. */
type FileToCheck = {
  readonly path: string;
  readonly isNew: boolean;
  readonly bytes: Uint8Array;
  /** Changes that are taken for granted. */
  readonly earlier: readonly Region[];
  /** Those that are judged. None touches another, or an earlier one. */
  readonly changes: readonly Region[];
};

/** The syntax error that changes bring into a file that parsed before; null if there is none, as far as known. */
async function checkSyntax({ path, isNew, bytes, earlier, changes }: FileToCheck): Promise<SyntaxProblem | null> {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return null;
  const before = isNew && earlier.length === 0 ? null : composeFile(decoded.text, earlier).text;
  const after = composeFile(decoded.text, [...earlier, ...changes]).text;
  return findNewSyntaxError({ path, before, after });
}

/** A parser that fails must not keep a change from people: then there is no check. */
async function findSyntaxProblem({ log }: Pick<Workspace, 'log'>, file: FileToCheck): Promise<SyntaxProblem | null> {
  try {
    return await checkSyntax(file);
  } catch (error) {
    log.warn({ err: error }, 'change not checked for syntax errors');
    return null;
  }
}

/** A key of the call's text, which no other reason and no push changes; null for a call that repeats another one. */
function callKey(change: Change, { step, tool }: DraftPart): string | null {
  // A call of several changes can result in a single one.
  if (change.op === 'set' || (step === null && tool === 'change_files')) return change.digest;
  return step === null ? null : hash('sha256', JSON.stringify([change.path, step]), 'hex');
}

/** A key of the bytes that the change leaves in all its files, through any calls. */
function outcomeKey(change: Change): string {
  return hash('sha256', JSON.stringify(resultsOf(change) ?? change.digest), 'hex');
}
