import type { CommandName, Targets } from '../command/intent.ts';
import { isPending, type Proposal, shownChange } from './proposal.ts';
import { named, reply, type Spoken, settled } from './spoken.ts';
import type { Step } from './step.ts';
import { type Aim, aim } from './targets.ts';

/** Either the proposals a verdict is about, or the step that says why it is about none. */
export type Resolved =
  | {
      readonly kind: 'these';
      readonly open: readonly Proposal[];
      readonly done: readonly Proposal[];
      readonly left: readonly Proposal[];
    }
  | { readonly kind: 'answered'; readonly step: Step; readonly done: readonly Proposal[] };

/** Finds what a verdict is about. Whatever is not certain becomes an answer, never a guess. */
export function resolveAim(spoken: Spoken, command: CommandName, targets: Targets): Resolved {
  return fromAim(spoken, command, aim(spoken.pull, command, targets, spoken.words));
}

function fromAim(spoken: Spoken, command: CommandName, found: Aim): Resolved {
  switch (found.kind) {
    case 'these':
      return these(spoken, command, found);
    case 'which':
      return { kind: 'answered', step: which(spoken, command, found.pending), done: [] };
    case 'unknown':
      return { kind: 'answered', step: unknown(spoken, found.ids), done: [] };
    case 'inline':
      return { kind: 'answered', step: reply(spoken, { kind: 'answered-inline' }, 'answered-in-threads'), done: [] };
    case 'none':
      return { kind: 'answered', step: none(spoken, command, found.left), done: [] };
  }
}

function these(spoken: Spoken, command: CommandName, found: Extract<Aim, { kind: 'these' }>): Resolved {
  const { proposals, left } = found;
  const open = proposals.filter((proposal) => isOpenTo(command, proposal));
  const done = proposals.filter((proposal) => !open.includes(proposal));
  if (open.length > 0) return { kind: 'these', open, done, left };
  return {
    kind: 'answered',
    step: reply(spoken, { kind: 'settled', proposals: done.map(settled) }, 'already-settled'),
    done,
  };
}

/** Where somebody's own text is on its way, nobody else has seen it yet: it can be denied, but not approved. */
function isOpenTo(command: CommandName, proposal: Proposal): boolean {
  if (proposal.state !== 'approved') return proposal.state === 'proposed';
  return command !== 'approve' || shownChange(proposal) === proposal.change;
}

function which(spoken: Spoken, command: CommandName, pending: readonly Proposal[]): Step {
  if (pending.length === 0) return none(spoken, command, []);
  const verb = command === 'deny' || command === 'edit' ? command : 'approve';
  return reply(spoken, { kind: 'which', command: verb, pending: pending.map(named) }, 'ambiguous');
}

function unknown(spoken: Spoken, ids: readonly string[]): Step {
  const pending = spoken.pull.proposals.filter(isPending).map(named);
  return reply(spoken, { kind: 'unknown-ids', ids, pending }, 'unknown-ids');
}

function none(spoken: Spoken, command: CommandName, left: readonly Proposal[]): Step {
  if (left.length > 0) return reply(spoken, { kind: 'posted-later', left: left.map(named) }, 'posted-later');
  return reply(spoken, { kind: 'nothing-pending', command }, 'nothing-pending');
}
