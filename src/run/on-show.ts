import { diffOf } from '../change/payload.ts';
import type { Targets } from '../command/intent.ts';
import { isPending, type Proposal } from './proposal.ts';
import { inform, named, reply, type Spoken, settled } from './spoken.ts';
import type { Step } from './step.ts';
import { aim } from './targets.ts';

/** `/show`: the full diff of one change, whatever has become of it. */
export function onShow(spoken: Spoken, targets: Targets): Step {
  const { pull, words } = spoken;
  const found = aim(pull, 'show', targets, words);
  switch (found.kind) {
    case 'these':
      return found.proposals[0] === undefined ? nothing(spoken) : show(spoken, found.proposals[0]);
    case 'which':
      return found.pending.length === 0
        ? nothing(spoken)
        : reply(spoken, { kind: 'which', command: 'show', pending: found.pending.map(named) }, 'ambiguous');
    case 'unknown':
      return reply(
        spoken,
        { kind: 'unknown-ids', ids: found.ids, pending: pull.proposals.filter(isPending).map(named) },
        'unknown-ids',
      );
    case 'inline':
    case 'none':
      return nothing(spoken);
  }
}

function nothing(spoken: Spoken): Step {
  return reply(spoken, { kind: 'nothing-pending', command: 'show' }, 'nothing-pending');
}

function show(spoken: Spoken, proposal: Proposal): Step {
  const { payload, digest } = proposal.change;
  const shown = { proposal: named(proposal), settled: settled(proposal), digest, diff: diffOf(payload) };
  return inform(spoken, { kind: 'shown', ...shown });
}
