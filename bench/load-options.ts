import { parseArgs } from 'node:util';
import { type OptionsReading, problem, readOptions as read } from '../src/options/read-options.ts';

/** What is measured: all loads, or only one, in full or a tenth of each, also on a PostgreSQL server or not. */
export type LoadOptions = { readonly server: string | null; readonly only: string | null; readonly brief: boolean };

/** The names of the loads, and which of them need a server. */
export type LoadNames = { readonly all: readonly string[]; readonly onServer: readonly string[] };

const OPTIONS = {
  brief: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** What `--help` says. */
export function loadHelp({ all, onServer }: LoadNames): string {
  return `Usage: npm run bench:load [-- [PostgreSQL URL] [name] [--brief]]

Measures whether the whole App, as processes of its own, keeps what it promises under load.

  PostgreSQL URL  measures on that server too; ${onServer.join(', ')}: only there
  name            one of ${all.join(', ')}; default is all
  --brief         a tenth of each load, to see that all of it runs
  --help          this text

Ends with 0 where every goal was met, 1 where one was missed, 2 where it could not begin.
`;
}

/** Reads what stands behind `npm run bench:load --`. Never throws. */
export function readLoadOptions(argv: readonly string[], names: LoadNames): OptionsReading<LoadOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: true });
  return read('npm run bench:load --', parse, ({ values: { brief }, positionals }) => {
    const servers = positionals.filter((word) => /^postgres(?:ql)?:\/\//.test(word));
    const [server = null, otherServer] = servers;
    const [only = null, other] = positionals.filter((word) => !servers.includes(word));
    if (otherServer !== undefined || other !== undefined) return problem('One URL and one name are all it takes.');
    if (only !== null && !names.all.includes(only))
      return problem(`There is no load ${only}; there are ${names.all.join(', ')}.`);
    if (only !== null && names.onServer.includes(only) && server === null)
      return problem(`${only} needs the URL of a PostgreSQL server.`);
    return { kind: 'options', options: { server, only, brief } };
  });
}
