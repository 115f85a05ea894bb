import type { CommandName, Intent, SaidIntent } from '../command/intent.ts';

/** What GitHub is asked for some commands, beside the person's permission. */
const ALSO: Partial<Record<CommandName, string>> = {
  task: 'the pull request, its settings and its changed paths, where no run is active',
  approve: 'the repository’s settings, and the App’s comments that show what is approved, as they stand now',
  resume: 'the pull request, where a run waits to go on',
};

/** Without a state: what it takes to decide, in the order in which it is looked at. */
export function decidedBy(intent: Intent): readonly string[] {
  const { login } = intent.actor;
  const { owner, repo } = intent.pull;
  const stored = 'what is stored of the pull request: its run and its proposals (give it with --state)';
  const permission = `the permission of ${login} on ${owner}/${repo}, where the words concern the App at all`;
  switch (intent.kind) {
    case 'said':
      return [stored, permission, ...alsoOf(intent)];
    case 'edited':
      return [stored, permission];
    default:
      return [stored, 'the pull request as GitHub has it now, where anything of it is open'];
  }
}

function alsoOf({ utterance }: SaidIntent): readonly string[] {
  const name = utterance.kind === 'mention' ? 'task' : utterance.kind === 'command' ? utterance.command.name : null;
  const also = name === null ? undefined : ALSO[name];
  return also === undefined ? [] : [also];
}
