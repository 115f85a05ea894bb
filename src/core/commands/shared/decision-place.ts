import { endStep, startStep, withReply } from '../../actions/step-builder.ts';
import type { CommandName } from '../../state/intent.ts';
import type { Proposal } from '../../state/proposal.ts';
import type { Step } from '../../step/step.ts';
import { type CommandContext, type CommentContext, endWithReply } from './context.ts';

/** Whether a decision in this place has no effect: here decisions are made in the conversation only. */
export function isOutsideConversation({
  pull,
  intent,
  facts,
}: Pick<CommentContext, 'pull' | 'intent' | 'facts'>): boolean {
  if (intent.location.at === 'conversation') return false;
  const current = facts.settings?.settings;
  // The stricter one counts: a denial is decided without reading the current settings.
  return [current, pull.run?.settings].some((settings) => settings?.decideIn === 'conversation');
}

/** The reply to a command that decides, in a place where none is made; null where it takes effect. */
export function refuseOutsideConversation(
  context: CommandContext,
  command: CommandName,
  proposal: Proposal | null,
): Step | null {
  if (!isOutsideConversation(context)) return null;
  return endWithReply(
    context,
    { kind: 'decide-in-conversation', command, id: idOf(proposal) },
    'decide-in-conversation',
  );
}

/** Refuses words without a command in the same way. People may talk in a thread, so each gets one reply there. */
export function refuseWordsOutsideConversation(context: CommandContext, proposal: Proposal | null): Step | null {
  if (!isOutsideConversation(context)) return null;
  const { pull, intent, person } = context;
  const reply = { kind: 'decide-in-conversation', command: 'edit', id: idOf(proposal) } as const;
  const once = `decide-in:${person.id}:${reply.id ?? ''}`;
  return endStep(withReply(startStep(pull), intent.location, reply, once), 'decide-in-conversation');
}

function idOf(proposal: Proposal | null): string | null {
  return proposal?.id ?? null;
}
