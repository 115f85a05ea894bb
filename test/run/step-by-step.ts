import { composeFile, type LineRange } from '../../src/change/range.ts';
import { lineOf } from '../../src/change/region.ts';
import { sourcePath, takesWhole } from '../../src/change/touched.ts';
import { type FileAtHead, judge, recognise } from '../../src/policy/freshness.ts';
import { showing } from '../../src/run/batch.ts';
import { completeByPush, type Pushed } from '../../src/run/completed-by-push.ts';
import { type Draft, withProposal, withRun } from '../../src/run/draft.ts';
import type { FilesAt } from '../../src/run/judging.ts';
import { openProposals } from '../../src/run/open-proposals.ts';
import { ownEditsOf, withOwnEdit } from '../../src/run/own-edit.ts';
import type { Proposal } from '../../src/run/proposal.ts';
import { supersede } from '../../src/run/superseded.ts';

/** The files of open proposals before and after a push. */
export type Files = { readonly atBase: FilesAt; readonly atHead: FilesAt };

/**
 * What becomes of every open proposal, each judged when its turn has come, with all that was decided before it: what judging
 * beforehand has to come to.
 */
export function stepByStep(draft: Draft, files: Files, at: Pushed): Draft {
  const open = openProposals(draft.pull.proposals);
  const moves = open.filter(({ change }) => change.op === 'move');
  const paths = new Set(open.filter((one) => !moves.includes(one)).map(({ change }) => change.path));
  const byPath = [...paths].reduce((next, path) => stepOnPath(next, path, files, at), draft);
  return moves.reduce((next, move) => stepOf(next, move, files, at), byPath);
}

function stepOnPath(draft: Draft, path: string, files: Files, at: Pushed): Draft {
  const before = files.atBase[path] ?? null;
  const now = files.atHead[path] ?? null;
  if (before?.blob === now?.blob && before?.mode === now?.mode) return draft;
  const open = openProposals(draft.pull.proposals).filter(({ change }) => change.path === path && change.op !== 'move');
  const found = recognise({
    baseText: before === null ? '' : before.text,
    headText: now === null ? null : now.text,
    changes: open.map(({ change }) => change).filter((change) => !takesWhole(change)),
  });
  const contained = found.kind === 'other' ? [] : open.filter(({ change }) => found.applied.includes(change));
  const taken = contained.reduce((next, proposal) => completeByPush(next, proposal, at), draft);
  const owned = contained.length > 0 ? withOwnPush(taken, path, contained, before, now) : taken;
  return open.filter((one) => !contained.includes(one)).reduce((next, one) => stepOf(next, one, files, at), owned);
}

function withOwnPush(
  draft: Draft,
  path: string,
  contained: readonly Proposal[],
  before: FileAtHead | null,
  now: FileAtHead | null,
): Draft {
  const { run } = draft.pull;
  if (run === null || before?.text == null || now === null) return draft;
  const ranges = rangesIn(contained, before, before.text, ownEditsOf(run, path));
  if (ranges === null) return draft;
  const ownEdits = withOwnEdit(run.ownEdits, { path, before: before.blob, after: now.blob, ranges });
  return withRun(draft, { ownEdits });
}

function rangesIn(
  contained: readonly Proposal[],
  file: FileAtHead,
  text: string,
  ownEdits: ReturnType<typeof ownEditsOf>,
): readonly LineRange[] | null {
  const verdicts = contained.map(({ change }) => judge({ change, file, ownEdits }));
  const regions = verdicts.flatMap((verdict) => (verdict.kind === 'applies' ? [verdict.region] : []));
  return regions.length === contained.length ? composeFile(text, regions).ranges : null;
}

function stepOf(draft: Draft, proposal: Proposal, { atHead }: Files, at: Pushed): Draft {
  const { change } = proposal;
  const source = atHead[sourcePath(change)] ?? null;
  const ownEdits = ownEditsOf(draft.pull.run, change.path);
  const verdict = judge({ change, file: atHead[change.path] ?? null, source, ownEdits });
  switch (verdict.kind) {
    case 'already-there':
      return completeByPush(draft, proposal, at);
    case 'stale':
      return supersede(draft, proposal, verdict, { head: at.head, now: at.facts.now });
    case 'applies': {
      const line = lineOf(verdict.region);
      const proposed = change.region;
      if (proposed === null || line === (proposal.movedTo ?? lineOf(proposed))) return draft;
      return showing(withProposal(draft, { ...proposal, movedTo: line }), proposal);
    }
  }
}
