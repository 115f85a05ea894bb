import type { Command, Intent, SaidIntent, Targets, Utterance } from '../command/intent.ts';

/** What an utterance is read as. */
export function utteranceWords(utterance: Utterance): string {
  switch (utterance.kind) {
    case 'command':
      return `the command ${commandWords(utterance.command)}`;
    case 'misfit':
      return utterance.command === null
        ? `no command: /${utterance.word}. ${utterance.hint}`
        : `no command: ${said(utterance.word)} does not fit /${utterance.command}. ${utterance.hint}`;
    case 'unknown-command':
      return `no command of ours: ${utterance.word}${utterance.nearest === null ? '' : `, perhaps /${utterance.nearest}`}`;
    case 'mention':
      return `words to the agent: ${said(utterance.text)}`;
    case 'remark':
      return remarkWords(utterance);
  }
}

function commandWords(command: Command): string {
  switch (command.name) {
    case 'task':
    case 'ask':
      return `${command.name}: ${said(command.text)}`;
    case 'approve':
      return `approve, for ${targetWords(command.targets)}${aside('note', command.note)}`;
    case 'deny':
      return `deny, for ${targetWords(command.targets)}${aside('reason', command.reason)}`;
    case 'edit':
      return `edit, for ${targetWords(command.targets)}${aside('instruction', command.instruction)}`;
    case 'show':
    case 'undo':
      return `${command.name}, for ${targetWords(command.targets)}`;
    case 'continue':
    case 'stop':
    case 'resume':
    case 'status':
    case 'help':
      return command.name;
  }
}

function targetWords(targets: Targets): string {
  switch (targets.by) {
    case 'ids':
      return targets.ids.join(', ');
    case 'all':
      return 'all that waits';
    case 'place':
      return 'what it answers by where it stands';
  }
}

function remarkWords({
  text,
  toSomebodyElse,
  affirmation,
  suggestions,
  unclosedSuggestion,
}: Extract<Utterance, { kind: 'remark' }>): string {
  const blocks = suggestions.length;
  return [
    text === '' ? 'a remark without words' : `a remark: ${said(text)}`,
    ...(toSomebodyElse ? ['said to somebody else'] : []),
    ...(affirmation ? ['an affirmation, which decides nothing'] : []),
    ...(blocks === 0 ? [] : [`with ${blocks} suggestion ${blocks === 1 ? 'block' : 'blocks'}`]),
    ...(unclosedSuggestion ? ['with a suggestion block that is not closed or not certain'] : []),
  ].join('; ');
}

/** An event that is no words. */
export function eventWords(intent: Exclude<Intent, SaidIntent>): string {
  switch (intent.kind) {
    case 'edited':
      return `an edited comment, which never decides: ${utteranceWords(intent.utterance)}`;
    case 'own-comment':
      return `a comment of the App, ${intent.deed} by somebody else`;
    case 'deleted':
      return 'a deleted comment';
    case 'pushed':
      return `a push from ${intent.before} to ${intent.after}`;
    case 'retargeted':
      return `another base branch: ${intent.to} instead of ${intent.from}`;
    case 'closed':
      return intent.merged ? 'the pull request was merged' : 'the pull request was closed';
    case 'dismissed':
      return `the App’s review ${intent.reviewId} was dismissed`;
    case 'thread':
      return `the review thread of comment ${intent.rootId} was ${intent.resolved ? 'resolved' : 'opened again'}`;
  }
}

function aside(what: string, text: string): string {
  return text === '' ? '' : `; ${what}: ${said(text)}`;
}

function said(text: string): string {
  return `"${text}"`;
}
