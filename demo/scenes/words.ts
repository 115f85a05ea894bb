/** The states of a run, in the order in which it usually passes them. */
export const PHASES: readonly (readonly [kind: string, words: string])[] = [
  ['reading-context', 'reads the pull request'],
  ['awaiting-model', 'asks the model'],
  ['running-tools', 'reads and computes'],
  ['posting', 'posts the changes'],
  ['awaiting-decisions', 'waits for people'],
  ['awaiting-checks', 'waits for checks'],
  ['ended', 'ended'],
];

/** What the reasons mean; any other one is told by its own name. */
const REASONS: Readonly<Record<string, string>> = {
  // Why a delivery was not for the App.
  ping: 'GitHub’s test',
  'unknown-event': 'nothing that the App acts on',
  'own-event': 'the App’s own doing',
  bot: 'bots decide nothing',
  'not-a-person': 'no person',
  'empty-review': 'a review without words; its comments come alone',
  'irrelevant-edit': 'an edit that changes nothing here',
  'not-addressed': 'talk among people, not for the App',
  'not-for-us': 'talk among people, not for the App',
  stored: 'stored, decided next',
  'checks-noticed': 'checks of a commit are completed',
  duplicate: 'came before; nothing is done twice',
  // What people did.
  'run-started': 'a task: a run begins',
  queued: 'a task waits until the run ends',
  approved: 'enough people approve: it is committed next',
  'vote-counted': 'an approval counts, more are needed',
  'user-edited': 'a person’s own lines stand in for the agent’s',
  denied: 'denied: it will never be committed',
  'edit-requested': 'asked for something else',
  'approval-not-counted': 'this approval does not count, and the reply says why',
  'not-allowed': 'this person may not decide here',
  'nothing-pending': 'nothing waits for a decision',
  'already-decided': 'decided before',
  'unknown-ids': 'no such change',
  ambiguous: 'not certain what is meant, so nothing is decided',
  'malformed-command': 'looks like a command but is none; a hint was given',
  'note-queued': 'a note for the agent',
  'info-replied': 'answered with information',
  'question-answered': 'the agent’s question is answered',
  'side-question-answered': 'the person’s question is answered',
  'edited-into-command': 'a command edited in later decides nothing',
  stopped: 'stopped by a person',
  continued: 'goes on without the undecided changes',
  resumed: 'goes on where it ended',
  'enough-replies': 'this person had enough replies for now',
  'deferred-until-posted': 'waits until the pages are posted',
  // What happened on GitHub.
  'pull-opened': 'a pull request to work on',
  'app-push': 'the App’s own commit arrived',
  'push-assessed': 'the branch moved: each pending change is held against the new lines',
  'review-dismissed': 'a dismissed review is a no',
  'pull-closed': 'closed: nothing is pending any more',
  // What the App’s own work led to.
  'comment-posted': 'its comment is posted',
  'context-read': 'it knows the pull request now',
  'push-read': 'it knows what the push changed',
  'tools-requested': 'the model wants to read or to change something',
  'tool-calls-answered': 'the model gets what it asked for',
  'proposals-created': 'changes are ready to be shown',
  'proposals-posted': 'the changes are shown, and wait for people',
  'waiting-published': 'its check run and its label tell how many changes are pending',
  'model-asked-again': 'the model is asked again',
  'model-attempt-failed': 'the model did not answer; it is asked again',
  'model-failed': 'the model failed; the run can be resumed',
  'commit-started': 'all is checked once more, then committed',
  'commit-delayed': 'GitHub does not take the commit yet; it is tried again',
  'commit-aborted': 'not committed, because something changed meanwhile',
  committed: 'committed, and read back byte for byte',
  'checks-awaited': 'waits for the checks of its commit',
  'checks-changed': 'a check changed: all are looked at again',
  'checks-read': 'it knows how the checks stand',
  'run-finished': 'the agent is done',
  'outdated-result': 'too late to matter',
};

/** The meaning of a reason. */
export function wordsOf(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll('-', ' ');
}
