/**
 * The folders of src, lowest first; `src/cli.ts` counts as one. A file imports from its own folder and from lower rows;
 * folders in the same row cannot import each other.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['src/lib'],
  ['src/core/edits/text'],
  ['src/core/edits'],
  ['src/core/edits/build'],
  ['src/core/state'],
  ['src/core/step'],
  ['src/core/comments'],
  ['src/core/settings'],
  ['src/core/policy'],
  ['src/core/agent/shared'],
  ['src/core/agent/context'],
  ['src/core/agent/tools'],
  ['src/core/agent'],
  ['src/core/messages/shared'],
  ['src/core/messages/proposal'],
  ['src/core/messages'],
  ['src/core/actions'],
  ['src/core/commands/shared'],
  ['src/core/commands'],
  ['src/core/outcomes'],
  ['src/core/events'],
  ['src/core/webhooks'],
  ['src/core'],
  ['src/adapters/telemetry'],
  ['src/adapters/github/requests'],
  ['src/adapters/github', 'src/adapters/model', 'src/adapters/store/engine', 'src/adapters/syntax'],
  ['src/adapters/store'],
  ['src/adapters/http'],
  ['src/worker/jobs'],
  ['src/worker/effects/tools'],
  ['src/worker/effects'],
  ['src/worker'],
  ['src/app/config'],
  ['src/app'],
  ['src/cli'],
  ['src/cli/git'],
  ['src/cli/verify'],
  ['src/cli/config', 'src/cli/doctor', 'src/cli/export', 'src/cli/operate', 'src/cli/setup'],
  ['src/cli.ts'],
];

type Room = {
  /** The content of the folder, in a few words. */
  readonly what: string;
  /** The files that other folders can import, the most important first. */
  readonly entries: readonly string[] | 'every file';
  /** The files that the folder above can import; all by default. */
  readonly fromAbove?: readonly string[];
  /** The folders that can import from it; all by default. */
  readonly importers?: readonly string[];
};

/** Every folder of src, outermost first. Each entry is imported by another folder. */
export const ROOMS: Readonly<Record<string, Room>> = {
  'src/app': {
    what: 'start, stop, wiring, probes',
    entries: ['start.ts', 'server.ts', 'app-identity.ts', 'wiring.ts', 'probes.ts'],
  },
  'src/app/config': {
    what: 'environment, the operator’s file',
    entries: ['env.ts', 'operator-settings.ts'],
  },
  'src/cli': { what: 'options of the commands, and how they ask the database', entries: 'every file' },
  'src/cli/verify': {
    what: '`countersign verify`',
    entries: ['verify.ts', 'check-commit.ts'],
  },
  'src/cli/config': { what: '`countersign config`', entries: ['config.ts'] },
  'src/cli/doctor': { what: '`countersign doctor`', entries: ['doctor.ts'] },
  'src/cli/setup': { what: '`countersign setup`', entries: ['setup.ts'] },
  'src/cli/export': { what: '`countersign export`', entries: ['export.ts'] },
  'src/cli/operate': {
    what: 'commands that ask a running server or its database',
    entries: ['pending.ts', 'inspect.ts', 'pause.ts', 'report.ts', 'migrate.ts'],
  },
  'src/cli/git': {
    what: 'the `git` program',
    entries: 'every file',
    importers: ['src/cli/verify', 'demo', 'demo/command'],
  },
  'src/worker': { what: 'the loop over pull requests', entries: ['worker.ts', 'cleanup.ts', 'deliveries.ts'] },
  'src/worker/effects': { what: 'performs each kind of effect', entries: [], fromAbove: ['perform.ts'] },
  'src/worker/effects/tools': {
    what: 'performs the calls of the model',
    entries: [],
    fromAbove: ['read-tools.ts', 'run-tools.ts', 'workspace.ts'],
  },
  'src/worker/jobs': {
    what: 'facts, retries, files of the repository',
    entries: ['job.ts', 'retries.ts', 'gather-facts.ts'],
  },
  'src/adapters/http': {
    what: 'webhook, health, metrics',
    entries: 'every file',
    importers: ['src/app', 'src/cli'],
  },
  'src/adapters/github': {
    what: 'GitHub’s REST and GraphQL, behind its port',
    entries: ['create-github.ts'],
    importers: ['src/app', 'src/cli/setup'],
  },
  'src/adapters/github/requests': {
    what: 'clients, tokens, limits and errors of requests',
    entries: ['client.ts'],
    importers: ['src/adapters/github', 'src/app', 'src/cli/setup'],
  },
  'src/adapters/store': {
    what: 'PostgreSQL and PGlite',
    entries: [
      ...['store.ts', 'open.ts', 'ledger.ts', 'operator.ts'],
      ...['list-pending.ts', 'inspect-pull.ts', 'report.ts'],
    ],
  },
  'src/adapters/store/engine': {
    what: 'connections, migrations, database errors',
    entries: ['data-directory.ts', 'schema.ts', 'errors.ts', 'inspect.ts', 'migrate.ts'],
  },
  'src/adapters/model': { what: 'the model’s endpoint, by two APIs', entries: ['openai.ts'], importers: ['src/app'] },
  'src/adapters/syntax': {
    what: 'parsers of programming languages and data files',
    entries: ['parse-source.ts', 'new-syntax-error.ts'],
    importers: ['src/worker/effects', 'src/worker/effects/tools', 'lab/simulation'],
  },
  'src/adapters/telemetry': { what: 'logs and metrics', entries: 'every file' },
  'src/core': { what: 'one signal → one step', entries: 'every file' },
  'src/core/webhooks': { what: 'payload → intent', entries: ['interpret.ts'] },
  'src/core/events': { what: 'comments, reviews, pushes, closes and buttons', entries: [] },
  'src/core/outcomes': { what: 'results of effects', entries: ['failures.ts', 'create-proposals.ts'] },
  'src/core/commands': {
    what: 'a file for each command, or for a few that belong together',
    entries: ['all-commands.ts', 'answer.ts', 'approve.ts', 'ask.ts', 'deny.ts', 'edit.ts', 'task.ts'],
  },
  'src/core/commands/shared': {
    what: 'what several commands do',
    entries: ['approval-checks.ts', 'context.ts', 'targets.ts', 'words-for-agent.ts'],
  },
  'src/core/actions': { what: 'state changes shared by handlers', entries: 'every file' },
  'src/core/messages': {
    what: 'everything people read on GitHub: replies, the run’s comment, questions',
    entries: 'every file',
  },
  'src/core/messages/proposal': {
    what: 'a proposal’s page, and reading it back',
    entries: ['proposal-status.ts', 'exact-page.ts'],
  },
  'src/core/messages/shared': {
    what: 'Markdown of the App, and of the model',
    entries: ['markdown.ts'],
  },
  'src/core/agent': {
    what: 'the conversation with the model',
    entries: [
      'messages.ts',
      'system-prompt.ts',
      'clear-readings.ts',
      'question-texts.ts',
      'side-question-texts.ts',
      'turn-texts.ts',
    ],
  },
  'src/core/agent/context': {
    what: 'what the model is told first, and between its turns',
    entries: [
      'first-message.ts',
      'pull-summary.ts',
      'diff-excerpt.ts',
      'code-excerpts.ts',
      'instructions.ts',
      'earlier-runs.ts',
      'notes.ts',
    ],
  },
  'src/core/agent/tools': {
    what: 'what the model can call',
    entries: ['parse-call.ts', 'read-file.ts', 'search.ts', 'outline.ts', 'pull-diff.ts'],
  },
  'src/core/agent/shared': {
    what: 'foreign text and results, made safe for the model',
    entries: [
      'clean-text.ts',
      'check-texts.ts',
      'discussion.ts',
      'review-threads.ts',
      'tool-results.ts',
      'response-size.ts',
      'file-list.ts',
    ],
  },
  'src/core/policy': {
    what: 'who, where, how fresh',
    entries: [
      'countersign.ts',
      'may-approve.ts',
      'code-owners.ts',
      'paths.ts',
      'path-tables.ts',
      'path-policy.ts',
      'staleness.ts',
      'standing-approvals.ts',
      'waiting.ts',
      'earlier-changes.ts',
      'compute-undo.ts',
      'commit-plan.ts',
      'commit-message.ts',
    ],
  },
  'src/core/settings': {
    what: '`.github/countersign.yml` and the operator’s file',
    entries: ['repo-settings.ts', 'operator-file.ts', 'settings-file.ts'],
  },
  'src/core/comments': {
    what: 'comment → command',
    entries: ['parse-comment.ts', 'command-line.ts', 'ids.ts'],
  },
  'src/core/step': { what: 'what a step takes and gives, and the ports', entries: 'every file' },
  'src/core/state': { what: 'stored types and their predicates', entries: 'every file' },
  'src/core/edits/build': {
    what: 'makes changes from calls and from people’s lines',
    entries: ['build-change.ts', 'build-files.ts', 'build-text.ts', 'user-edit.ts'],
  },
  'src/core/edits': {
    what: 'what a change is: its lines, digest and place',
    entries: [
      'change.ts',
      'change-set.ts',
      'region.ts',
      'placement.ts',
      'applied-ops.ts',
      'locate-region.ts',
      'describe-change.ts',
      'digest.ts',
      'misleading-text.ts',
    ],
  },
  'src/core/edits/text': {
    what: 'lines, characters, searches, diffs',
    entries: ['lines.ts', 'line-table.ts', 'characters.ts', 'find-text.ts', 'hunks.ts'],
  },
  'src/lib': { what: 'small tools; `trust.ts` is the only file that asserts types', entries: 'every file' },
};
