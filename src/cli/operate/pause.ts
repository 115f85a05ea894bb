import process from 'node:process';
import { withDatabase } from '../ask.ts';
import { defineCommand, OptionsError, runCommand, singleArgument } from '../options.ts';
import { formatTable } from '../table.ts';

const ARGUMENT_PROBLEM = 'Give one account or repository, such as acme or acme/shop.';

const HELP = {
  pause: `Usage: countersign pause OWNER[/REPO]

Pauses an account or repository: its webhooks are stored, and nothing else happens there. Work that is under way ends
its current step. People who ask for something there are told so, once on each pull request.
`,
  unpause: `Usage: countersign unpause OWNER[/REPO]

Ends a pause: everything that was stored meanwhile is processed, in order.
`,
} as const;

const COMMON_HELP = `Asks the running server, or the database that DATABASE_URL or DATA_DIR names, and prints what is paused then.

  --help  print this text

Exit code: 0 on success, 2 if the command could not begin.
`;

const OWNER_OR_REPOSITORY = /^[\w.-]+(?:\/[\w.-]+)?$/;

/** Runs `countersign pause` or `countersign unpause`. Exit code: 0, or 2 (could not begin). */
export function runPause(verb: 'pause' | 'unpause', argv: readonly string[]): Promise<number> {
  const command = defineCommand({
    name: `countersign ${verb}`,
    help: `${HELP[verb]}${COMMON_HELP}`,
    options: {},
    takesArguments: true,
    read(_values, positionals) {
      const name = singleArgument(positionals, ARGUMENT_PROBLEM);
      if (!OWNER_OR_REPOSITORY.test(name)) throw new OptionsError(ARGUMENT_PROBLEM);
      return name;
    },
  });
  return runCommand(command, argv, (name) =>
    withDatabase(command.name, async (ask) => {
      const now = Date.now();
      const pauses = await (verb === 'pause' ? ask('pause', { name, now }) : ask('unpause', { name }));
      const rows = pauses.map((paused) => [paused.name, paused.since]);
      process.stdout.write(rows.length === 0 ? 'Nothing is paused.\n' : formatTable([['paused', 'since'], ...rows]));
      return 0;
    }),
  );
}
