import { z } from 'zod';
import { cutReason, MAX_REASON_CHARACTERS } from './conversation.ts';

/** `immediate` calls are answered at once; `gated` calls become proposals, and `question` calls questions to people. */
type ToolKind = 'immediate' | 'gated' | 'question';

/** Limits of one `read_file` call. */
export const MAX_READ_LINES = 2000;

export const MAX_READ_BYTES = 64_000;

/** Lines of one file that a search shows. */
export const MAX_FILE_HITS = 10;

/** Where few files match, they share this many lines instead. */
export const MAX_FEW_FILES_HITS = 50;

/** Half of a surrogate pair has no UTF-8 form. */
const text = z.string().refine((value) => value.isWellFormed(), 'holds half of a surrogate pair');

const path = text.min(1).describe('Path from the repository root');

const glob = text
  .min(1)
  .max(500)
  .describe('Only paths that match, e.g. src/**/*.{ts,js}; a directory alone means all below it')
  .optional()
  .transform(orNull);

const reason = text
  .describe(`Why, for people; ${MAX_REASON_CHARACTERS} characters are shown`)
  .optional()
  .transform((written) => cutReason(written?.trim() ?? ''));

/** A line, or a number of GitHub. */
const positive = z.number().int().min(1);

const answers = positive.describe('Id of the open review thread that it answers').optional().transform(orNull);

const oldString = text.describe('Exact text of the file, without line numbers');

const newString = text.describe('Literal replacement');

const flag = (what: string) =>
  z
    .boolean()
    .describe(`${what}; default false`)
    .optional()
    .transform((written) => written ?? false);

const isTrue = z
  .boolean()
  .optional()
  .transform((written) => written ?? false);

const replaceAll = flag('Replace every occurrence');

const MAX_EDITS = 20;

/** Changes of one `change_files` call. */
const MAX_CHANGES = 30;

/** Characters of a summary that people see. A longer one is cut. */
const MAX_SUMMARY_CHARACTERS = 300;

/** An edit is one replacement, or a list of them. */
const editArguments = z
  .strictObject({
    path,
    old_string: oldString.optional().transform(orNull),
    new_string: newString.optional().transform(orNull),
    replace_all: replaceAll,
    edits: z
      .array(z.strictObject({ old_string: text, new_string: text, replace_all: isTrue }))
      .min(1)
      .max(MAX_EDITS)
      .describe('Instead of old_string and new_string: several replacements, made in order, as one proposal')
      .optional()
      .transform(orNull),
    answers,
    reason,
  })
  .superRefine(({ old_string, new_string, replace_all, edits }, context) => {
    const report = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
    if (edits !== null) {
      if (old_string !== null || new_string !== null || replace_all)
        report('edits', 'must stand alone, without old_string, new_string and replace_all');
    } else {
      if (old_string === null) report('old_string', 'is missing');
      if (new_string === null) report('new_string', 'is missing');
    }
  });

/** One change of a `change_files` call. */
export type OneChange =
  | {
      readonly op: 'edit';
      readonly path: string;
      readonly old_string: string;
      readonly new_string: string;
      readonly replace_all: boolean;
    }
  | { readonly op: 'write'; readonly path: string; readonly content: string }
  | { readonly op: 'delete'; readonly path: string }
  | { readonly op: 'move'; readonly from: string; readonly to: string };

/** The members of each operation. A flat schema, because many endpoints know no alternatives. */
const CHANGE_MEMBERS = {
  edit: ['path', 'old_string', 'new_string'],
  write: ['path', 'content'],
  delete: ['path'],
  move: ['from', 'to'],
} as const;

const MEMBERS_RULE = `Each with these members, and edit perhaps with replace_all: ${JSON.stringify(CHANGE_MEMBERS)}`;

const oneChange = z
  .strictObject({
    op: z.enum(['edit', 'write', 'delete', 'move']),
    path: text.optional(),
    old_string: text.optional(),
    new_string: text.optional(),
    replace_all: z.boolean().optional(),
    content: text.optional(),
    from: text.optional(),
    to: text.optional(),
  })
  .transform((written, context): OneChange => {
    const { op, replace_all = false, ...members } = written;
    const wanted: readonly string[] = CHANGE_MEMBERS[op];
    const report = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
    for (const key of wanted) if (!Object.hasOwn(members, key)) report(key, `is missing for ${op}`);
    for (const key of Object.keys(members)) if (!wanted.includes(key)) report(key, `does not belong to ${op}`);
    if (replace_all && op !== 'edit') report('replace_all', `does not belong to ${op}`);
    const { path: at = '', old_string = '', new_string = '', content = '', from = '', to = '' } = members;
    switch (op) {
      case 'edit':
        return { op, path: at, old_string, new_string, replace_all };
      case 'write':
        return { op, path: at, content };
      case 'delete':
        return { op, path: at };
      case 'move':
        return { op, from, to };
    }
  });

/** The number of lines of a plan. */
export const PLAN_STEPS = { min: 3, max: 7 } as const;

const MAX_STEP_CHARACTERS = 200;

/** Characters of a question's prompt and of each choice, and the number of choices. */
export const QUESTION_LIMITS = { promptCharacters: 2_000, choices: 20, choiceCharacters: 200 } as const;

function count(max: number, description: string) {
  const written = z.number().int().min(0).max(max).describe(description).optional();
  return written.transform((given) => given ?? 0);
}

function orNull<Value>(value: Value | undefined): Value | null {
  return value ?? null;
}

/**
 * All tools. What the model is told, requests and their parsing derive from this table. An absent option becomes null,
 * or its default.
 */
export const TOOLS = {
  edit_file: {
    kind: 'gated',
    description:
      'Propose to replace text in an existing file. old_string must be exactly the text of the file, including white space, and occur exactly once unless replace_all is true. Line endings do not matter. An empty new_string deletes. Nothing changes until a person approves.',
    schema: editArguments,
  },
  write_file: {
    kind: 'gated',
    description:
      'Propose a new file, or the complete new content of an existing one, which must have been read in this run. Prefer edit_file for existing files. Nothing changes until a person approves.',
    schema: z.strictObject({ path, content: text.describe('Complete content'), answers, reason }),
  },
  delete_file: {
    kind: 'gated',
    description: 'Propose to delete a file. Check first what would be lost. Nothing changes until a person approves.',
    schema: z.strictObject({ path, answers, reason }),
  },
  move_file: {
    kind: 'gated',
    description:
      'Propose to move a file; its bytes and mode do not change. The new path must be unused. To change its text as well, use change_files. Nothing changes until a person approves.',
    schema: z.strictObject({
      from: path.describe('Its present path'),
      to: path.describe('Its new path'),
      answers,
      reason,
    }),
  },
  change_files: {
    kind: 'gated',
    description:
      'Propose changes of several places and files that only work together: people decide on them at once, all or none. Each is made on what the earlier ones left. Nothing changes until a person approves.',
    schema: z.strictObject({
      summary: text
        .min(1)
        .describe('What they do together, for the person who decides: one sentence')
        .transform((written) => [...written.trim()].slice(0, MAX_SUMMARY_CHARACTERS).join('')),
      changes: z.array(oneChange).min(1).max(MAX_CHANGES).describe(MEMBERS_RULE),
      answers,
    }),
  },
  read_file: {
    kind: 'immediate',
    description: `Read a text file of the pull request, at most ${MAX_READ_LINES} lines or ${MAX_READ_BYTES / 1000} kB at once. The first line says which lines are shown; the text below is exact. Ask for more lines with start and end. What was shown and did not change is not shown again. A directory is listed.`,
    schema: z.strictObject({
      path,
      start: positive.describe('First line, from 1').optional().transform(orNull),
      end: positive.describe('Last line, inclusive').optional().transform(orNull),
      ref: z
        .enum(['head', 'base'])
        .describe('head (default), or base: as it was before the pull request')
        .optional()
        .transform((written) => written ?? 'head'),
    }),
  },
  list_files: {
    kind: 'immediate',
    description: 'List the files at the head of the pull request.',
    schema: z.strictObject({ glob }),
  },
  search: {
    kind: 'immediate',
    description: `Find lines at the head of the pull request, the files that it changes first. Rows are path:line:text, with - in place of : around a context line; at most ${MAX_FILE_HITS} lines of a file, or up to ${MAX_FEW_FILES_HITS} where few files match; the others are counted.`,
    schema: z.strictObject({
      query: text.min(1).max(500).describe('Text within one line'),
      regex: flag('Read query as a regular expression in RE2 syntax, without look-around and back-references'),
      ignore_case: flag('Ignore upper and lower case'),
      context: count(5, 'Lines to show around each one; default 0'),
      glob,
    }),
  },
  outline: {
    kind: 'immediate',
    description:
      'List the declarations of a file at the head with their line numbers. Without a parser: the lines that start at column 0.',
    schema: z.strictObject({ path }),
  },
  read_diff: {
    kind: 'immediate',
    description:
      'Read the diff of the pull request against the commit from which it branched off. With path, that of one file or directory.',
    schema: z.strictObject({
      path: path.describe('A changed file, or a directory; default all').optional().transform(orNull),
    }),
  },
  read_discussion: {
    kind: 'immediate',
    description:
      'Read what people and bots wrote on the pull request, newest first: comments, reviews, review threads with their state, and the description. Words of bots and of people without write access only where the task points to them; nothing of your own.',
    schema: z.strictObject({ skip: count(1000, 'Entries to skip, as an earlier result says; default 0') }),
  },
  read_checks: {
    kind: 'immediate',
    description:
      'List the checks (CI) of the head with their states. With name, one of them: what it says and the end of its log.',
    schema: z.strictObject({ name: text.min(1).max(500).describe('Name of a check').optional().transform(orNull) }),
  },
  ask_user: {
    kind: 'question',
    description: 'Ask people a question and wait for the answer. A rejection ends the run.',
    schema: z.strictObject({
      prompt: text.min(1).max(QUESTION_LIMITS.promptCharacters).describe('The question, in plain sentences'),
      input_type: z
        .enum(['approval', 'choice', 'text'])
        .describe('approval (default); choice: one of choices, no other text; text')
        .optional()
        .transform((written) => written ?? 'approval'),
      choices: z
        .array(text)
        .describe(
          `Different lines of text: 1 to ${QUESTION_LIMITS.choices} for a choice; none, or two labels, for an approval: the first approves, the second rejects`,
        )
        .optional()
        .transform(orNull),
    }),
  },
  plan: {
    kind: 'immediate',
    description: 'Show people a short plan of a larger task, and call it again to tick what is done.',
    schema: z.strictObject({
      steps: z
        .array(
          z.strictObject({
            text: text.min(1).max(MAX_STEP_CHARACTERS).describe('One step in a few words'),
            done: flag('The step is done'),
          }),
        )
        .min(PLAN_STEPS.min)
        .max(PLAN_STEPS.max)
        .describe('All steps, in order'),
    }),
  },
} as const satisfies Readonly<Record<string, { kind: ToolKind; description: string; schema: z.ZodObject }>>;

export type ToolName = keyof typeof TOOLS;

export const TOOL_NAMES: readonly ToolName[] = Object.keys(TOOLS).filter(isToolName);

/** The tools whose calls need approval. */
type GatedToolName = {
  [Name in ToolName]: (typeof TOOLS)[Name]['kind'] extends 'gated' ? Name : never;
}[ToolName];

/** The tools whose calls people can decide on: a reading only where a rule asks for it. */
export type ProposingToolName = GatedToolName | 'read_file';

/** The arguments of a call that fits the tool's schema. Line numbers are 1-based and inclusive. */
export type ToolArguments = { readonly [Name in ToolName]: Readonly<z.output<(typeof TOOLS)[Name]['schema']>> };

/** A valid call of one tool. */
export type ToolRequestOf<Name extends ToolName> = {
  [One in Name]: { readonly tool: One } & ToolArguments[One];
}[Name];

/** The names of all tools of a kind, in the order of the table. */
export function toolsOfKind(kind: ToolKind): ToolName[] {
  return TOOL_NAMES.filter((name) => TOOLS[name].kind === kind);
}

/** The tools that read the repository or the pull request, and do nothing else. A plan tells people something. */
export type ReadingToolName = Exclude<
  { [Name in ToolName]: (typeof TOOLS)[Name]['kind'] extends 'immediate' ? Name : never }[ToolName],
  'plan'
>;

export function isReadingTool(name: ToolName): name is ReadingToolName {
  return TOOLS[name].kind === 'immediate' && name !== 'plan';
}

function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name);
}

/** The tool that a call means: some models write its name in capitals, or as `functions.<name>`. Null for no tool. */
export function readToolName(written: string): ToolName | null {
  const name = written
    .slice(0, MAX_NAME_CHARACTERS)
    .toLowerCase()
    .replace(/^functions\./, '');
  return isToolName(name) ? name : null;
}

const MAX_NAME_CHARACTERS = 100;

/** The tools as described to the model, in order. */
export function toolDefinitions(): ToolDefinition[] {
  return TOOL_NAMES.map((name) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(TOOLS[name].schema, {
      io: 'input',
      override: ({ jsonSchema }) => dropLargeLimits(jsonSchema),
    });
    return { name, description: TOOLS[name].description, parameters };
  });
}

/** Servers that make a grammar of each schema refuse every request above some 2,000 repetitions. */
const MAX_SENT_LIMIT = 1_000;

const REPETITIONS = ['minLength', 'maxLength', 'minItems', 'maxItems'] as const;

/** A larger limit is not sent. The call is checked against it all the same, and its refusal names it. */
function dropLargeLimits(schema: z.core.JSONSchema.BaseSchema): void {
  for (const name of REPETITIONS) if ((schema[name] ?? 0) > MAX_SENT_LIMIT) delete schema[name];
}

/** A tool as described to the model; `parameters` is a JSON schema. */
type ToolDefinition = {
  readonly name: ToolName;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** Maximum number of calls per response. More would delay the work on other pull requests. */
export const MAX_CALLS_PER_RESPONSE = 50;

/** Whether results of a tool can be read again. People's words stay, also if they are deleted on GitHub. */
export function isClearable(name: ToolName): boolean {
  return isReadingTool(name) && name !== 'read_discussion';
}
