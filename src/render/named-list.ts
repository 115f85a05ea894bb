import type { Named, Settled } from '../run/answer.ts';
import type { ProposalState } from '../run/proposal.ts';
import { codeSpan, escapeText, link } from './markdown.ts';
import { loginText } from './verdict.ts';
import { sha7 } from './words.ts';

const NAMED_AT_MOST = 30;
const TITLE_CAP = 200;

/** Proposals as a list with links; what is beyond thirty is counted. */
export function listNamed(proposals: readonly Named[]): string {
  const rows = proposals.slice(0, NAMED_AT_MOST).map(({ id, title, url }) => {
    const name = url === null ? codeSpan(id) : link(codeSpan(id), url);
    return `- ${name} ${escapeText([...title].slice(0, TITLE_CAP).join(''))}`.trimEnd();
  });
  const left = proposals.length - rows.length;
  return [...rows, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
}

const VERBS = {
  proposed: 'is still waiting',
  approved: 'was already approved',
  executing: 'is being applied right now, as approved',
  completed: 'was already applied',
  rejected: 'was already rejected',
  failed: 'could not be applied, though approved',
  superseded: 'was already withdrawn',
  expired: 'had already expired',
  cancelled: 'was already cancelled',
} as const satisfies Record<ProposalState, string>;

/** What became of a proposal, as a clause: `k7q2 was already applied by ana in 1a2b3c4`. */
export function settledSentence(settled: Settled): string {
  const id = escapeText(settled.id);
  const by = settled.by === null || settled.state === 'proposed' ? '' : ` by ${loginText(settled.by)}`;
  const commit = settled.commit === null ? '' : ` in ${sha7(settled.commit)}`;
  const replaced = settled.replacedBy === null ? '' : ` and replaced by ${codeSpan(settled.replacedBy)}`;
  return `${id} ${VERBS[settled.state]}${by}${commit}${replaced}`;
}
