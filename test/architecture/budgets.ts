/** A source file's path and length. */
type Size = { readonly path: string; readonly lines: number };

type Budget = { readonly room: string; readonly files: RegExp; readonly lines: number };

/** The lines that each part of src may have, with comments. Raising one takes a commit that says what it buys. */
const BUDGETS: readonly Budget[] = [
  { room: 'core/state, step', files: /^src\/core\/(?:state|step)\//, lines: 4_125 },
  {
    room: 'core, events, outcomes, actions',
    files: /^src\/core\/(?:[a-z-]+\.ts|events\/|outcomes\/|actions\/)/,
    lines: 4_605,
  },
  { room: 'core/webhooks, comments', files: /^src\/core\/(?:webhooks|comments)\//, lines: 1_165 },
  { room: 'core/commands', files: /^src\/core\/commands\//, lines: 2_015 },
  { room: 'core/policy, settings', files: /^src\/core\/(?:policy|settings)\//, lines: 3_300 },
  { room: 'core/edits', files: /^src\/core\/edits\//, lines: 2_985 },
  { room: 'core/messages', files: /^src\/core\/messages\//, lines: 3_435 },
  { room: 'core/agent', files: /^src\/core\/agent\//, lines: 3_085 },
  { room: 'worker', files: /^src\/worker\//, lines: 4_795 },
  { room: 'adapters/github', files: /^src\/adapters\/github\//, lines: 3_375 },
  { room: 'adapters/store', files: /^src\/adapters\/store\//, lines: 3_750 },
  { room: 'adapters/model', files: /^src\/adapters\/model\//, lines: 1_870 },
  { room: 'adapters/http, syntax, telemetry', files: /^src\/adapters\/(?:http|syntax|telemetry)\//, lines: 1_300 },
  { room: 'app, cli, lib', files: /^src\/(?:app|cli|lib)[./]/, lines: 5_145 },
];

const MAX_FILE_LINES = 400;

/** One line for each room above its budget, each file that is too long, and each file outside of the rooms. */
export function findTooLarge(files: readonly Size[]): readonly string[] {
  const rooms = BUDGETS.flatMap((budget) => {
    const own = files.filter(({ path }) => budget.files.test(path));
    const lines = own.reduce((sum, file) => sum + file.lines, 0);
    return lines > budget.lines ? [`${budget.room} has ${lines} lines, of ${budget.lines}`] : [];
  });
  const long = files.filter(({ lines }) => lines > MAX_FILE_LINES);
  const outside = files.filter(({ path }) => !BUDGETS.some((budget) => budget.files.test(path)));
  return [
    ...rooms,
    ...long.map(({ path, lines }) => `${path} has ${lines} lines, of ${MAX_FILE_LINES}`),
    ...outside.map(({ path }) => `${path} is in no room`),
  ];
}
