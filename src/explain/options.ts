import { parseArgs } from 'node:util';
import { optionProblem } from '../render/option-problem.ts';
import type { Permission } from '../run/proposal.ts';
import { PERMISSIONS } from './read-state.ts';

/** What is to be explained, and how; null is “not given”. */
export type ExplainOptions = {
  readonly delivery: string;
  /** GitHub's event, for a file that holds the payload alone. */
  readonly event: string | null;
  /** A file with what was stored and known when the delivery came. */
  readonly state: string | null;
  readonly slug: string | null;
  readonly botId: number | null;
  /** What GitHub says of the person, instead of what the state holds. */
  readonly permission: Permission | null;
  readonly json: boolean;
};

export type OptionsReading =
  | { readonly kind: 'explain'; readonly options: ExplainOptions }
  | { readonly kind: 'help' }
  /** One line that says what is wrong. */
  | { readonly kind: 'problem'; readonly problem: string };

export const EXPLAIN_HELP = `Usage: countersign explain <delivery.json> [options]

Says what a recorded webhook delivery is read as, what it takes to decide it, and, with the state
of that moment, what is decided and done. Reads files only: no network, no credentials.

  <delivery.json>  {"headers": …, "payload": …}, GitHub's own record of a delivery
                   ({"request": {"headers": …, "payload": …}}), or a bare payload with --event
  --event NAME     GitHub's event of a bare payload, such as issue_comment
  --state FILE     {"pull": …, "facts": …, "permissions": {"<user id>": "write", …}}: the stored
                   pull request and what GitHub told, as recordings have it
  --permission P   what if the person had it: admin, maintain, write, read or none
  --slug NAME      the App's name on GitHub; default is countersign
  --bot-id NUMBER  the id of the App's bot account, to tell its own events
  --json           the same for programs
  --help           this text
`;

const OPTIONS = {
  event: { type: 'string' },
  state: { type: 'string' },
  slug: { type: 'string' },
  permission: { type: 'string' },
  'bot-id': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads what stands behind `countersign explain`. Never throws. */
export function readOptions(argv: readonly string[]): OptionsReading {
  const read = parsed(argv);
  if (typeof read === 'string') return problem(read);
  const { values, positionals } = read;
  if (values.help === true) return { kind: 'help' };
  const [delivery, ...more] = positionals;
  if (delivery === undefined) return problem('The file with the delivery is missing.');
  if (more.length > 0) return problem('One delivery is explained at a time.');
  const { event = null, state = null, slug = null, json = false } = values;
  const id = values['bot-id'];
  if (id !== undefined && !/^\d{1,15}$/.test(id)) return problem('--bot-id needs a number.');
  const permission = PERMISSIONS.find((one) => one === values.permission) ?? null;
  if (values.permission !== undefined && permission === null)
    return problem(`--permission is one of ${PERMISSIONS.join(', ')}.`);
  return {
    kind: 'explain',
    options: { delivery, event, state, slug, botId: id === undefined ? null : Number(id), permission, json },
  };
}

function problem(words: string): OptionsReading {
  return { kind: 'problem', problem: `${words} See countersign explain --help.` };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: true });
  } catch (error) {
    return optionProblem(error);
  }
}
