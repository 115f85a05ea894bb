import { parseIdLine } from '../../comments/ids.ts';
import { type Change, type FileChange, mainPath, membersOf, type Region, unifiedDiffOf } from '../../edits/change.ts';
import { recomputedDigest } from '../../edits/digest.ts';
import { applySuggestion, listSuggestions, type Placement } from '../../edits/placement.ts';
import { regionIndex } from '../../edits/region.ts';
import { applyUnifiedDiff } from '../../edits/text/hunks.ts';
import { type Proposal, postedChange } from '../../state/proposal.ts';
import { proposalTitle } from './proposal-header.ts';
import { pageShowsChange } from './read-back.ts';

/** A pending proposal and its page as it is on GitHub. */
export type ShownProposal = { readonly proposal: Proposal; readonly body: string };

/**
 * The digest that the page of a pending proposal shows; null unless it shows exactly the stored change. Everything
 * that decides what is committed is held against the page: title, id line, lines or diff, and the digest itself.
 */
export function findShownDigest({ proposal, body }: ShownProposal): string | null {
  const change = postedChange(proposal);
  const digest = recomputedDigest(change);
  if (digest !== change.digest || !membersOf(change).every(hasDiffOfRegion)) return null;
  const header = { id: proposal.id, title: proposalTitle({ ...proposal, change }), digest };
  if (!hasHeader(body, header)) return null;
  return pageShowsChange(body, change, possiblePlacements(change)) ? digest : null;
}

type Header = { readonly id: string; readonly title: string; readonly digest: string };

/** The marker, the title and the id line are the first lines of every comment. */
function hasHeader(body: string, { id, title, digest }: Header): boolean {
  const [, titleLine = '', idLine = ''] = body.split('\n', 7).filter((line) => line !== '');
  const shown = parseIdLine(idLine);
  return titleLine.startsWith(title) && shown?.id === id && digest.startsWith(shown.digest);
}

/** True if the stored diff makes exactly the lines that a commit would write. */
function hasDiffOfRegion({ region, payload }: FileChange): boolean {
  const diff = unifiedDiffOf(payload);
  if (region === null || diff === null) return region === null && diff === null;
  return (
    applyUnifiedDiff(linesAround(region, region.old), diff, firstIndex(region)) === linesAround(region, region.new)
  );
}

/**
 * The page itself tells whether a block or a diff shows the change: a block that a push made outdated is still on the
 * page for a while. Only a block that makes exactly the lines of the change is possible.
 */
function possiblePlacements(change: Change): readonly Placement[] {
  if (change.op === 'set') return [{ kind: 'file', path: mainPath(change), reason: 'together' }];
  const { path, region } = change;
  const suggestions = region === null || change.op === 'delete' ? [] : listSuggestions(region);
  return [
    { kind: 'file', path, reason: 'not-in-diff' },
    ...suggestions.flatMap(({ firstLine, lastLine, lines }): readonly Placement[] =>
      region !== null && makesLines(region, firstLine, lastLine, lines)
        ? [{ kind: 'suggestion', path, startLine: firstLine, line: lastLine, lines }]
        : [],
    ),
  ];
}

function makesLines(region: Region, firstLine: number, lastLine: number, lines: readonly string[]): boolean {
  const first = firstIndex(region);
  const applied = applySuggestion(linesAround(region, region.old), firstLine - first, lastLine - first, lines);
  return applied === linesAround(region, region.new);
}

/** The 0-based line of the file with which the region's context begins. */
function firstIndex(region: Region): number {
  return regionIndex(region) - region.before.length;
}

function linesAround({ before, after }: Region, lines: readonly string[]): string {
  return [...before, ...lines, ...after].join('');
}
