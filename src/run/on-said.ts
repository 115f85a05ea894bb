import { buriedCommand } from '../command/buried-command.ts';
import { hintFor } from '../command/hint.ts';
import type { Command, CommandName, SaidIntent, Slashless, Utterance } from '../command/intent.ts';
import { mayCommand, standingOf } from '../policy/roles.ts';
import { type Bearing, bearing, reading } from './bearing.ts';
import {
  draftOf,
  finish,
  ignore,
  waitFor,
  withAnswer,
  withEffects,
  withPull,
  withRun,
  withWordsHeard,
} from './draft.ts';
import type { Facts } from './facts.ts';
import { wordsOf } from './in-review.ts';
import { onApprove } from './on-approve.ts';
import { onAsk } from './on-ask.ts';
import { onDeny } from './on-deny.ts';
import { instruct, onEdit } from './on-instruct.ts';
import { onOwnText } from './on-own-text.ts';
import { onPlainReview } from './on-plain-review.ts';
import { onResume } from './on-resume.ts';
import { onShow } from './on-show.ts';
import { onContinue, onHelp, onStatus, onStop } from './on-steer.ts';
import { onTask } from './on-task.ts';
import { onUndo } from './on-undo.ts';
import { isRevocable, type Proposal } from './proposal.ts';
import { activeRun, type Pull } from './run.ts';
import { reply, type Spoken } from './spoken.ts';
import type { Step } from './step.ts';

type Misfit = Extract<Utterance, { kind: 'misfit' }>;
type Mention = Extract<Utterance, { kind: 'mention' }>;

/** People who are told once on each pull request that they may not decide; the eleventh hears nothing. */
const REFUSALS_PER_PULL = 10;

/** Somebody said something: whether it concerns us, whether they may, and what it does. */
export function onSaid(pull: Pull, intent: SaidIntent, deliveryId: string, facts: Facts): Step {
  const about = bearing(pull, intent);
  if (about.kind === 'none') return ignore(pull, about.reason);
  if (about.kind === 'wait') return waitFor(pull, 'waits-for-posting');
  if (!facts.served) return notServed(pull, intent);
  const spoken = speak(pull, intent, deliveryId, facts);
  if (!mayCommand(spoken.standing, about.asks)) return refuse(spoken, about);
  return act(spoken, intent.utterance, about);
}

function speak(pull: Pull, intent: SaidIntent, deliveryId: string, facts: Facts): Spoken {
  const person = { id: intent.actor.id, login: intent.actor.login };
  const permission = facts.permission ?? 'none';
  const author = pull.run?.pullAuthor ?? facts.pull?.author ?? null;
  const standing = standingOf(permission, person, author);
  const words = wordsOf(pull, intent, facts);
  return { pull, intent, deliveryId, facts, person, permission, standing, words };
}

function notServed(pull: Pull, intent: SaidIntent): Step {
  const answer = { kind: 'not-served', owner: pull.ref.owner } as const;
  return finish(withAnswer(draftOf(pull), intent.place, answer, `not-served:${pull.ref.repositoryId}`), 'not-served');
}

/** One polite line for a command, none for a remark; nothing of it reaches the model. */
function refuse(spoken: Spoken, about: Extract<Bearing, { kind: 'ours' }>): Step {
  const { pull, person } = spoken;
  const known = pull.refused.includes(person.id) || pull.refused.length >= REFUSALS_PER_PULL;
  if (about.quietly || known) return ignore(pull, 'not-allowed');
  const noted = withPull(draftOf(pull), { refused: [...pull.refused, person.id] });
  const command = refusedWords(spoken.intent.utterance, about.asks);
  const answer = { kind: 'not-allowed', login: person.login, command } as const;
  return finish(withAnswer(noted, spoken.intent.place, answer), 'not-allowed');
}

/** What a refusal names: the command that was meant, not what had to be allowed. */
function refusedWords(utterance: Utterance, asks: CommandName): CommandName | 'mention' {
  if (utterance.kind === 'mention') return 'mention';
  return utterance.kind === 'misfit' ? (utterance.command ?? asks) : asks;
}

function act(spoken: Spoken, utterance: Utterance, about: Extract<Bearing, { kind: 'ours' }>): Step {
  switch (utterance.kind) {
    case 'command':
      if (reading(spoken.pull, utterance) !== 'read') return needsPrefix(spoken, utterance.command.name);
      return perform(spoken, utterance.command);
    case 'misfit':
      if (reading(spoken.pull, utterance) !== 'read') return needsPrefix(spoken, utterance.command);
      return nearMiss(spoken, utterance);
    case 'unknown-command':
      return reply(
        spoken,
        { kind: 'unknown-command', word: utterance.word, nearest: utterance.nearest },
        'unknown-command',
      );
    case 'mention':
      return onMention(spoken, utterance, about.proposal);
    case 'remark':
      return onRemark(spoken, utterance, about.proposal);
  }
}

function perform(spoken: Spoken, command: Command): Step {
  switch (command.name) {
    case 'task':
      return slashless(spoken, command.slashless) ?? dressed(spoken, command.text) ?? onTask(spoken, command.text);
    case 'approve':
      return onApprove(spoken, command);
    case 'deny':
      return onDeny(spoken, command);
    case 'edit':
      return onEdit(spoken, command);
    case 'ask':
      return onAsk(spoken, command.text);
    case 'show':
      return onShow(spoken, command.targets);
    case 'undo':
      return onUndo(spoken, command.targets);
    case 'resume':
      return onResume(spoken);
    case 'continue':
      return onContinue(spoken);
    case 'stop':
      return onStop(spoken);
    case 'status':
      return onStatus(spoken);
    case 'help':
      return onHelp(spoken);
  }
}

/** A line that nearly is a command: what did not fit, and what to write instead. */
function nearMiss(spoken: Spoken, { command, word, hint }: Omit<Misfit, 'kind' | 'addressed'>): Step {
  return reply(spoken, { kind: 'misfit', command, word, hint }, 'not-a-command');
}

function needsPrefix(spoken: Spoken, command: CommandName | null): Step {
  return nearMiss(spoken, { command, word: '/', hint: hintFor(command, 'prefixed') });
}

/** `/countersign approve k7q2`: nobody wants a run of these words where there is such a proposal. */
function slashless(spoken: Spoken, found: Slashless | undefined): Step | null {
  const known = spoken.pull.proposals.some((proposal) => proposal.id === found?.id);
  if (found === undefined || !known) return null;
  return nearMiss(spoken, { command: 'task', word: found.word, hint: hintFor('task', 'no-slash') });
}

/** `@<app-slug> text`: an instruction where it answers a proposal, a note for the agent during a run, else a task. */
function onMention(spoken: Spoken, mention: Mention, proposal: Proposal | null): Step {
  const { text } = mention;
  const hinted = slashless(spoken, mention.slashless) ?? dressed(spoken, text);
  if (hinted !== null) return hinted;
  if (proposal !== null) return buried(spoken, proposal, text) ?? instruct(spoken, proposal, text);
  const run = activeRun(spoken.pull);
  if (run === null) return onTask(spoken, text);
  const note = { by: spoken.person, text, at: spoken.intent.createdAt };
  const kept = withWordsHeard(withRun(draftOf(spoken.pull), { notes: [...run.notes, note] }), spoken.facts.now);
  return finish(withEffects(kept, { type: 'react', place: spoken.intent.place, content: 'eyes' }), 'kept-for-agent');
}

/** Plain words below a proposal: what the person wants instead, unless they say too little or could be a yes. */
function onRemark(spoken: Spoken, remark: Extract<Utterance, { kind: 'remark' }>, proposal: Proposal | null): Step {
  const meant = buried(spoken, proposal, remark.text);
  if (meant !== null) return meant;
  if (proposal === null) return onPlainReview(spoken, remark.text);
  if (remark.suggestions.length > 0 || remark.unclosedSuggestion) return onOwnText(spoken, remark, proposal);
  if (!isRevocable(proposal) && (remark.text === '' || remark.affirmation))
    return ignore(spoken.pull, 'already-settled');
  if (remark.text === '') return hintOnce(spoken, proposal);
  if (remark.affirmation) return reply(spoken, { kind: 'affirmation', id: proposal.id }, 'affirmation');
  return instruct(spoken, proposal, remark.text);
}

/** Words that hold a command where it is none: nobody can want the agent to do that instead. */
function buried(spoken: Spoken, proposal: Proposal | null, text: string): Step | null {
  const command = proposal === null || isRevocable(proposal) ? buriedCommand(text) : null;
  if (command === null) return null;
  return nearMiss(spoken, { command, word: command, hint: hintFor(command, 'not-first') });
}

/** A task of one line that is nothing but a command in code or another dress. */
function dressed(spoken: Spoken, text: string): Step | null {
  return text.includes('\n') ? null : buried(spoken, null, text);
}

function hintOnce(spoken: Spoken, proposal: Proposal): Step {
  const once = `empty-reply:${spoken.pull.ref.repositoryId}:${spoken.pull.ref.number}:${proposal.id}`;
  const hint = withAnswer(draftOf(spoken.pull), spoken.intent.place, { kind: 'empty-reply', id: proposal.id }, once);
  return finish(hint, 'empty-reply');
}
