import { type NoSuggestion, type Placement, placeChange } from '../change/placement.ts';
import { type RenderedProposal, renderOpen } from '../render/proposal.ts';
import type { ProposalView } from '../render/proposal-view.ts';
import { showsExactly } from '../render/shows-exactly.ts';
import type { RepoLinks } from '../render/words.ts';
import type { Proposal } from '../run/proposal.ts';
import type { PullFile } from './ports.ts';

/**
 * What a proposal is drafted on: what its run has to say, its file as it is at the head (empty for none), and that file's
 * part of the pull request.
 */
export type Ground = {
  readonly about: Pick<ProposalView, 'warnings' | 'writable'>;
  readonly links: RepoLinks;
  readonly baseText: string;
  readonly file: PullFile | undefined;
};

/** A proposal to be drafted, wherever it fits or in one place. */
export type Drafting = { readonly proposal: Proposal; readonly ground: Ground };
export type Placing = Drafting & { readonly placement: Placement };

/** The place of a proposal and the comments that it gets there. */
export type Page = { readonly placement: Placement; readonly comments: RenderedProposal };

/**
 * The highest rung of the ladder whose comments, read back as GitHub would, show exactly the stored change; null where
 * none does, so that nobody is asked about what cannot be seen.
 */
export function pageOf({ proposal, ground }: Drafting): Page | null {
  const { change } = proposal;
  const { baseText, file } = ground;
  const inPullRequest = file !== undefined && file.status !== 'removed';
  const first = placeChange({ change, baseText, patch: file?.patch ?? null, inPullRequest });
  const page = pageAt({ proposal, ground, placement: first });
  return page ?? (first.kind === 'suggestion' ? pageAt({ proposal, ground, placement: onFile(first) }) : null);
}

/** The proposal in this place; null where its comments would not show exactly what is stored. */
export function pageAt({ proposal, placement, ground: { about, links, baseText } }: Placing): Page | null {
  const comments = renderOpen({ proposal, placement, ...about, links, replacedByUrl: null });
  if (comments === null || !showsExactly(comments, { change: proposal.change, placement, baseText })) return null;
  return { placement, comments };
}

function onFile({ path }: Placement): Placement {
  return { kind: 'file', path, why: 'not-expressible' };
}

/** Why something that was to be a suggestion is none after all: GitHub refused its place. */
export function whyNot(placement: Placement): NoSuggestion {
  return placement.kind === 'suggestion' ? 'not-in-diff' : placement.why;
}
