import type { LineRange } from '../change/range.ts';

/** What a commit's message says of one change. */
export type FoundTrailer = { readonly proposalId: string; readonly digest: string; readonly range: LineRange | null };

/** One group of our trailers as it stands in a message, whole or not; what is not there, or is of no form, is null. */
export type TrailerGroup = {
  readonly proposalId: string | null;
  readonly digest: string | null;
  readonly range: LineRange | null;
  /** Logins, each once. */
  readonly approvedBy: readonly string[];
  /** Why the message cannot have been written by the App; null where it can. */
  readonly problem: string | null;
};

/** Of a line without the blanks at its end: to find them here as well would take the square of their number. */
const TRAILER = /^(Countersign-Proposal|Countersign-Digest|Countersign-Range|Approved-by): *(\S.*)$/;
const PROPOSAL = /^[a-z0-9]{4,6}$/;
const DIGEST = /^sha256:([0-9a-f]{64})$/;
const RANGE = /^(\d{1,9}),(\d{1,9}) (\d{1,9}),(\d{1,9})$/;

type Values = Map<string, string[]>;

/** All groups of our trailers in a message, in order, wherever they stand in it. */
export function readTrailers(message: string): readonly TrailerGroup[] {
  const groups: Values[] = [];
  for (const line of message.split(/\r?\n/)) {
    const [, name, value] = TRAILER.exec(line.trimEnd()) ?? [];
    if (name === undefined || value === undefined) continue;
    const begins = name === 'Countersign-Proposal' || (groups.length === 0 && name !== 'Approved-by');
    if (begins) groups.push(new Map());
    const group = groups.at(-1);
    group?.set(name, [...(group.get(name) ?? []), value]);
  }
  return groups.map(groupOf);
}

/** The groups that name a change. One without a proper id or digest is none. */
export function findTrailers(message: string): readonly FoundTrailer[] {
  return readTrailers(message).flatMap(({ proposalId, digest, range }) =>
    proposalId === null || digest === null ? [] : [{ proposalId, digest, range }],
  );
}

function groupOf(values: Values): TrailerGroup {
  const [id = ''] = values.get('Countersign-Proposal') ?? [];
  return {
    proposalId: PROPOSAL.test(id) ? id : null,
    digest: DIGEST.exec(values.get('Countersign-Digest')?.[0] ?? '')?.[1] ?? null,
    range: readRange(values.get('Countersign-Range')?.[0] ?? ''),
    approvedBy: [...new Set(values.get('Approved-by'))],
    problem: problemOf(values),
  };
}

function problemOf(values: Values): string | null {
  const of = (name: string): readonly string[] => values.get(name) ?? [];
  const ranges = of('Countersign-Range');
  const wrong: readonly (readonly [boolean, string])[] = [
    [!PROPOSAL.test(of('Countersign-Proposal')[0] ?? ''), 'it has no Countersign-Proposal with an id'],
    [!DIGEST.test(of('Countersign-Digest')[0] ?? ''), 'it has no Countersign-Digest with a SHA-256'],
    [of('Countersign-Digest').length > 1, 'it has two digests'],
    [ranges.length > 1, 'it has two ranges'],
    [ranges.some((range) => !RANGE.test(range)), 'its Countersign-Range is not of the form 1,2 3,4'],
    [of('Approved-by').length === 0, 'it names nobody who approved'],
  ];
  return wrong.find(([holds]) => holds)?.[1] ?? null;
}

function readRange(text: string): LineRange | null {
  const found = RANGE.exec(text);
  if (found === null) return null;
  const [, oldStart, oldLines, newStart, newLines] = found.map(Number);
  if (oldStart === undefined || oldLines === undefined || newStart === undefined || newLines === undefined) return null;
  return { oldStart, oldLines, newStart, newLines };
}
