import { createHash } from 'node:crypto';
import { formatsOf } from '../../../adapters/syntax/formats.ts';
import { brokenFileOutput } from '../../../core/agent/turn-texts.ts';
import type { Region } from '../../../core/edits/change.ts';
import { areRegionsTouching } from '../../../core/edits/region.ts';
import type { SyntaxProblem } from '../../../core/state/proposal.ts';
import type { FileToCheck } from '../../offload/offload.ts';
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

function seenRegions(results: readonly NumberedResult[]): SeenRegions {
  const seen = new Map<string, readonly Region[]>();
  for (const result of results) {
    if (result.kind !== 'change' || result.change.region === null) continue;
    const { path, region } = result.change;
    seen.set(path, [...(seen.get(path) ?? []), region]);
  }
  return seen;
}

async function checkChange(
  workspace: Workspace,
  result: NumberedChange,
  seen: SeenRegions,
): Promise<readonly NumberedResult[]> {
  const { change, parts, calls } = result;
  const earlier = seen.get(change.path) ?? [];
  const { region } = change;
  if (region === null || change.op === 'delete' || formatsOf(change.path).length === 0) return [result];
  // These are not shown to people at all, or only once another one is decided.
  if (workspace.isAnsweredEarlier(change) || earlier.some((one) => areRegionsTouching(one, region))) return [result];
  const problem = await findSyntaxProblem(workspace, {
    path: change.path,
    isNew: change.base === null,
    bytes: change.base === null ? new Uint8Array() : await workspace.github.fetchBlob(change.base.blob),
    earlier,
    changes: [region],
  });
  if (problem === null) return [result];
  const keys = parts.flatMap((part) => keyOf(change.path, part) ?? []);
  if (keys.every((key) => workspace.syntaxRefusals.has(key))) return [{ ...result, syntaxProblems: [problem] }];
  return calls.map((call) => {
    const part = parts.find((one) => one.call.turn === call.turn && one.call.callId === call.callId);
    const key = part === undefined ? null : keyOf(change.path, part);
    return { ...call, kind: 'output', output: brokenFileOutput(problem), readBlob: null, ...refusalOf(key) };
  });
}

type NumberedChange = DraftChange & { readonly turn: number };

function refusalOf(key: string | null): { readonly syntaxRefusal?: string } {
  return key === null ? {} : { syntaxRefusal: key };
}

/** A parser that fails must not keep a change from people: then there is no check. */
export async function findSyntaxProblem(
  { offload, log }: Pick<Workspace, 'offload' | 'log'>,
  file: FileToCheck,
): Promise<SyntaxProblem | null> {
  try {
    return await offload('checkSyntax', file);
  } catch (error) {
    log.warn({ err: error }, 'change not checked for syntax errors');
    return null;
  }
}

/** The same for the same path and text, whatever the reason; null for a call that repeats another one. */
function keyOf(path: string, { step }: DraftPart): string | null {
  return step === null
    ? null
    : createHash('sha256')
        .update(JSON.stringify([path, step]))
        .digest('hex');
}
