import { redact } from '../../lib/credentials.ts';
import type { Reply } from '../../lib/trust.ts';
import type { Proposal } from '../state/proposal.ts';
import type { AgentQuestion } from '../state/question.ts';
import type { Person } from '../state/vote.ts';
import { escapeLogin, linkedId, pendingText } from './proposal/proposal-status.ts';
import {
  blockQuote,
  codeSpan,
  composeReply,
  escapeText,
  formatMention,
  joinBlocks,
  questionMarker,
  renderWithin,
  stripMarkers,
  truncate,
} from './shared/markdown.ts';
import { quoteMarkdown, quoteModelMarkdown, renderInline } from './shared/model-markdown.ts';

const PROMPT_CHARACTER_LIMITS = [2_000, 1_000, 500] as const;

const MAX_ANSWER_CHARACTERS = 1_000;

/** The comment of a question, in its state. It mentions the requester, which notifies them when it is posted. */
export function renderQuestion(question: AgentQuestion, requester: Person, proposals: readonly Proposal[]): string {
  const { id, prompt, precedingText } = question;
  return renderWithin(PROMPT_CHARACTER_LIMITS, (maxCharacters) =>
    joinBlocks(
      questionMarker(id),
      `${formatMention(requester.login)}, the agent asks, in words of the model:`,
      quoteMarkdown(prompt, maxCharacters),
      choiceList(question),
      `**Question** · ${codeSpan(id)}`,
      precedingText === null ? '' : quoteModelMarkdown('Before it', precedingText, maxCharacters),
      question.state === 'asked' ? joinBlocks(howToAnswer(question), pendingText(proposals)) : outcomeOf(question),
    ),
  );
}

function choiceList({ input }: AgentQuestion): string {
  if (input.type !== 'choice') return '';
  return input.choices.map((choice, index) => `${index + 1}. ${choiceText(choice)}`).join('\n');
}

/** As the model wrote it: with its code and emphasis if at most one mark has to be escaped, else as one code span. */
function choiceText(choice: string): string {
  const text = stripMarkers(redact(choice)).trim();
  const [inline = codeSpan(text)] = renderInline(text);
  return inline === text || inline.replace('\\', '') === text ? inline : codeSpan(text);
}

/** A choice within a sentence of the App. In it, code would look like a command that the App names. */
function labelText(label: string): string {
  return label.includes('`') ? codeSpan(stripMarkers(redact(label)).trim()) : choiceText(label);
}

function howToAnswer({ id, input, place }: AgentQuestion): string {
  const reply = place.at === 'thread' ? 'reply here' : 'quote this comment and reply';
  return `**Waiting for an answer.** ${waysToAnswer(id, input, reply)} ${codeSpan(`/reject ${id}`)} ends the run.`;
}

function waysToAnswer(id: string, input: AgentQuestion['input'], reply: string): string {
  switch (input.type) {
    case 'approval': {
      const [approve, reject] = input.choices.map(labelText);
      return `Write ${codeSpan(`/approve ${id}`)} for “${approve}”, or ${codeSpan(`/reject ${id}`)} for “${reject}”.`;
    }
    case 'choice':
      return `Write ${codeSpan(`/choose ${id} <number>`)}, or ${reply} with the number or the text of one choice.`;
    case 'text':
      return `Write ${codeSpan(`/answer ${id} <text>`)}, or ${reply}.`;
  }
}

function outcomeOf({ state, by, answer, note, problem }: AgentQuestion): string {
  const name = by === null ? 'somebody' : escapeLogin(by);
  switch (state) {
    case 'answered':
      return joinBlocks(`**Answered** by ${name}:`, answerText(answer), noteText(note));
    case 'rejected':
      return note === null
        ? `**Rejected** by ${name}, which ended the run.`
        : joinBlocks(`**Rejected** by ${name}, which ended the run:`, blockQuote(note, MAX_ANSWER_CHARACTERS));
    case 'expired':
      return '**Expired** without an answer.';
    case 'cancelled':
      return `**Cancelled** without an answer${problem === null ? '' : `: ${problemText(problem)}`}.`;
    case 'asked':
    case 'failed':
      return '';
  }
}

function answerText(answer: AgentQuestion['answer']): string {
  switch (answer?.kind) {
    case 'approve':
      return '> Approved.';
    case 'choice':
      return `> ${answer.index + 1}: ${choiceText(answer.value)}`;
    case 'text':
      return blockQuote(answer.value, MAX_ANSWER_CHARACTERS);
    default:
      return '';
  }
}

function noteText(note: string | null): string {
  return note === null ? '' : joinBlocks('Note for the agent:', blockQuote(note, MAX_ANSWER_CHARACTERS));
}

const STATE_WORDS = {
  asked: 'waiting for an answer',
  answered: 'answered',
  rejected: 'rejected',
  expired: 'expired',
  cancelled: 'cancelled',
  failed: 'not asked',
} as const satisfies Record<AgentQuestion['state'], string>;

const MAX_PROBLEM_CHARACTERS = 300;

/** A line about a question for the run comment. Why one could not be asked is said here only (S121). */
export function questionRow(question: AgentQuestion): string {
  const { state, by, problem, isDue } = question;
  if (state === 'asked' && !isDue) return `- ${linkedId(question)} follows after the pending changes`;
  const person = by === null ? '' : ` by ${escapeLogin(by)}`;
  const reason = problem === null ? '' : `: ${problemText(problem)}`;
  return `- ${linkedId(question)} ${STATE_WORDS[state]}${person}${reason}`;
}

function problemText(problem: string): string {
  return escapeText(truncate(problem, MAX_PROBLEM_CHARACTERS));
}

/** A comment that is no answer to the question, which stays open. */
export function questionHint(question: AgentQuestion): Reply {
  return composeReply(
    `Your comment is no answer to the question ${linkedId(question)}, which still waits. In a new comment, write ${answerForm(question)}; ${codeSpan(`/reject ${question.id}`)} ends the run.`,
  );
}

function answerForm({ id, input }: AgentQuestion): string {
  switch (input.type) {
    case 'approval':
      return codeSpan(`/approve ${id}`);
    case 'choice':
      return `${codeSpan(`/choose ${id} <number>`)} with a number from 1 to ${input.choices.length}, or the exact text of one choice`;
    case 'text':
      return codeSpan(`/answer ${id} <text>`);
  }
}

/** An answer is final. */
export function questionClosed(question: AgentQuestion): Reply {
  const { state, by } = question;
  const person = by === null ? '' : ` by ${escapeLogin(by)}`;
  return composeReply(
    `The question ${linkedId(question)} is already ${STATE_WORDS[state]}${person}, so your answer had no effect.`,
  );
}
