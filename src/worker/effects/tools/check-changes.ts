import { hash } from 'node:crypto';
import { findNewSyntaxError } from '../../../adapters/syntax/new-syntax-error.ts';
import { formatsOf } from '../../../adapters/syntax/parse-source.ts';
import { brokenFileOutput } from '../../../core/agent/turn-texts.ts';
import type { BlobRef, Change, Region } from '../../../core/edits/change.ts';
import { resultsOf } from '../../../core/edits/change-set.ts';
import { composeFile } from '../../../core/edits/region.ts';
import { decodeText } from '../../../core/edits/text/characters.ts';
import { callRefOf, type IssuedCall, isSameCall } from '../../../core/state/conversation.ts';
import type { SyntaxProblem } from '../../../core/state/proposal.ts';
import { isRecord, parseJson } from '../../../lib/trust.ts';
import type { NumberedResult, Workspace } from './workspace.ts';

/** Time for all checks of a batch (ms). Later changes are shown without one. */
const MAX_CHECKS_MS = 5_000;

/**
 * Refuses the changes after which a file would no longer parse, each as if it came alone. A change that the model sends
 * again is not refused but marked, so that people are warned.
 */
export async function checkChanges(
  workspace: Workspace,
  calls: readonly IssuedCall[],
  results: readonly NumberedResult[],
): Promise<readonly NumberedResult[]> {
  const deadline = workspace.now() + MAX_CHECKS_MS;
  const checked: NumberedResult[] = [];
  for (const result of results) {
    if (result.kind !== 'change' || workspace.now() > deadline) checked.push(result);
    else checked.push(...(await checkChange(workspace, calls, result)));
  }
  return checked;
}

/** A file whose text a change edits or creates. `base` is null for a new one. */
type ResultingFile = { readonly path: string; readonly base: BlobRef | null; readonly regions: readonly Region[] };

function resultingFiles(change: Change): readonly ResultingFile[] {
  const files = new Map<string, ResultingFile>();
  for (const { op, path, base, region } of change.members) {
    if (region === null || op === 'delete') continue;
    files.set(path, { path, base, regions: [...(files.get(path)?.regions ?? []), region] });
  }
  return [...files.values()];
}

async function checkChange(
  workspace: Workspace,
  issued: readonly IssuedCall[],
  result: NumberedChange,
): Promise<readonly NumberedResult[]> {
  const { change, calls } = result;
  // It is not shown to people at all.
  if (workspace.isAnsweredEarlier(change)) return [result];
  const problems = await findProblems(workspace, change);
  const [problem] = problems;
  if (problem === undefined) return [result];
  const own = issued.filter((one) => calls.some((call) => isSameCall(call, callRefOf(one))));
  const syntaxRefusals = [outcomeKey(change), ...own.map(callKey)];
  if (syntaxRefusals.some((key) => workspace.syntaxRefusals.has(key))) return [{ ...result, syntaxProblems: problems }];
  const output = brokenFileOutput(problem);
  return calls.map((call) => ({ ...call, kind: 'output', output, syntaxRefusals }));
}

/** The first problem of each file of the change, in order. */
async function findProblems(workspace: Workspace, change: Change): Promise<readonly SyntaxProblem[]> {
  const problems: SyntaxProblem[] = [];
  for (const file of resultingFiles(change)) {
    const problem = formatsOf(file.path).length === 0 ? null : await findSyntaxProblem(workspace, file);
    if (problem !== null) problems.push(problem);
  }
  return problems;
}

type NumberedChange = Extract<NumberedResult, { kind: 'change' }>;

/**
 * The syntax error that a change brings into a file that parsed before; null if there is none, as far as known. A parser
 * that fails must not keep a change from people.
 */
async function findSyntaxProblem(
  { github, log }: Workspace,
  { path, base, regions }: ResultingFile,
): Promise<SyntaxProblem | null> {
  const decoded = decodeText(base === null ? new Uint8Array() : await github.fetchBlob(base.blob));
  if (decoded.kind !== 'text') return null;
  try {
    const before = base === null ? null : decoded.text;
    return await findNewSyntaxError({ path, before, after: composeFile(decoded.text, regions).text });
  } catch (error) {
    log.warn({ err: error }, 'change not checked for syntax errors');
    return null;
  }
}

/** A key of what a call asks for, which no other reason and no push changes. */
function callKey({ toolCall }: IssuedCall): string {
  const value = parseJson(toolCall.arguments);
  const asked = isRecord(value) ? { ...value, reason: null, summary: null } : value;
  return hash('sha256', JSON.stringify([toolCall.name, asked]), 'hex');
}

/** A key of the bytes that the change leaves in all its files, through any calls. */
function outcomeKey(change: Change): string {
  return hash('sha256', JSON.stringify(resultsOf(change) ?? change.digest), 'hex');
}
