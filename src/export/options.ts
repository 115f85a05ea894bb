import { parseArgs } from 'node:util';
import { type OptionsReading, problem, readOptions as read } from '../options/read-options.ts';

/** A pull request by its name. */
export type PullName = { readonly repository: string; readonly number: number };

/** What is to be written out, or held against a branch. `since` is ms since the epoch. */
export type ExportOptions =
  | { readonly kind: 'export'; readonly pull: PullName | null; readonly since: number | null }
  | { readonly kind: 'check'; readonly repo: string; readonly range: string; readonly slug: string | null };

export const EXPORT_HELP = `Usage: countersign export [--pr OWNER/REPO#N] [--since TIME]
       countersign export --check --repo PATH [--range RANGE] [--slug NAME]

Writes out the ledger, oldest first: one JSON object a line for each proposal, with who decided what,
when, and what was committed. Reads the database that DATABASE_URL or DATA_DIR names.

  --pr OWNER/REPO#N  proposals of this pull request only
  --since TIME       decided, or else proposed, since then, such as 2030-01-31 or 2030-01-31T12:00:00Z

With --check it holds a local clone against the ledger instead: each commit of the App must hold exactly the
changes that its trailers name, and the ledger must have them, with the same digests and approvers. Copies of
such commits by others are listed, and are no failure.

  --repo PATH        the repository; default is the current directory
  --range RANGE      commits as git log takes them; default is HEAD and all before
  --slug NAME        the App's name on GitHub: commits of other Apps then count as copies, and
                     commits of this one without trailers as failures
  --help             this text

Ends with 0; with 1 where a commit is not explained, or nothing is known of the pull request; with 2 where it
could not begin.
`;

const OPTIONS = {
  pr: { type: 'string' },
  since: { type: 'string' },
  check: { type: 'boolean' },
  repo: { type: 'string' },
  range: { type: 'string' },
  slug: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = Partial<Record<Exclude<keyof typeof OPTIONS, 'check' | 'help'>, string>>;

const ONLY_EXPORT = ['pr', 'since'] as const;
const ONLY_CHECK = ['repo', 'range', 'slug'] as const;

/** Reads what stands behind `countersign export`. Never throws. */
export function readOptions(argv: readonly string[]): OptionsReading<ExportOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  return read('countersign export', parse, ({ values: { check = false, help: _, ...values } }): Taken => {
    const foreign = (check ? ONLY_EXPORT : ONLY_CHECK).find((name) => values[name] !== undefined);
    if (foreign !== undefined) return problem(`--${foreign} goes ${check ? 'without' : 'with'} --check only.`);
    return check ? checking(values) : exporting(values);
  });
}

type Taken = Exclude<OptionsReading<ExportOptions>, { kind: 'help' }>;

function checking({ repo = '.', range = 'HEAD', slug = null }: Omit<Values, 'slug'> & { slug?: string | null }) {
  return { kind: 'options', options: { kind: 'check', repo, range, slug } } as const;
}

const PULL = /^([\w.-]+\/[\w.-]+)#([1-9]\d{0,9})$/;
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

function exporting({ pr, since }: Values): Taken {
  const [, repository, number] = PULL.exec(pr ?? '') ?? [];
  if (pr !== undefined && repository === undefined) return problem('--pr is a name such as acme/shop#7.');
  const time = since !== undefined && TIME.test(since) ? Date.parse(since) : Number.NaN;
  if (since !== undefined && Number.isNaN(time)) return problem('--since is a time such as 2030-01-31T12:00:00Z.');
  const pull = repository === undefined ? null : { repository, number: Number(number) };
  return { kind: 'options', options: { kind: 'export', pull, since: since === undefined ? null : time } };
}
