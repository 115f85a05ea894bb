import { z } from 'zod';

/** `immediate` calls are answered at once; `gated` calls become proposals. */
type ToolKind = 'immediate' | 'gated';

/** Half of a surrogate pair has no UTF-8 form. */
const text = z.string().refine((value) => value.isWellFormed(), 'holds half of a surrogate pair');

const path = text.min(1).describe('Path of a file from the root of the repository, e.g. src/total.ts');

const glob = text
  .min(1)
  .max(500)
  .describe('Only paths that match from the root of the repository, e.g. src/**/*.ts; ** matches any directories')
  .optional()
  .transform(orNull);

const reason = text
  .max(200)
  .describe('Why this change, for the person who decides: one sentence, at most 200 characters')
  .optional()
  .transform((written) => written?.trim() || null);

const lineNumber = z.number().int().min(1);

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
      'Propose to replace text in an existing file. old_string must be exactly the text of the file, including white space, and occur exactly once unless replace_all is true; quote enough lines around it. Line endings do not matter. An empty new_string deletes. Nothing changes until a person approves.',
    schema: z.strictObject({
      path,
      old_string: text.describe('Exact text of the file, without line numbers'),
      new_string: text.describe('Literal replacement'),
      replace_all: z
        .boolean()
        .describe('Replace every occurrence; default false')
        .optional()
        .transform((written) => written ?? false),
      reason,
    }),
  },
  write_file: {
    kind: 'gated',
    description:
      'Propose a new file, or the complete new content of an existing one, which must have been read in this run. Prefer edit_file for existing files. Nothing changes until a person approves.',
    schema: z.strictObject({ path, content: text.describe('Complete content'), reason }),
  },
  delete_file: {
    kind: 'gated',
    description:
      'Propose to delete a file. Reading it first is not required, but check what would be lost. Nothing changes until a person approves.',
    schema: z.strictObject({ path, reason }),
  },
  move_file: {
    kind: 'gated',
    description:
      'Propose to move a file; its bytes and mode do not change. The new path must be unused; directories are created as needed. To change its text as well, propose that after the move is applied. Nothing changes until a person approves.',
    schema: z.strictObject({
      from: path.describe('Path of the file as it is now, from the root of the repository'),
      to: path.describe('Its new path, from the root of the repository'),
      reason,
    }),
  },
  read_file: {
    kind: 'immediate',
    description:
      'Read a text file at the head of the pull request. The first line of the result says which lines are shown; the text below it is exact. Ask for more lines with start and end.',
    schema: z.strictObject({
      path,
      start: lineNumber.describe('First line, from 1').optional().transform(orNull),
      end: lineNumber.describe('Last line, inclusive').optional().transform(orNull),
    }),
  },
  list_files: {
    kind: 'immediate',
    description: 'List the files of the repository at the head of the pull request.',
    schema: z.strictObject({ glob }),
  },
  search: {
    kind: 'immediate',
    description:
      'Find lines that contain a text, at the head of the pull request. The pattern is literal text within one line, case-sensitive; it is not a regular expression.',
    schema: z.strictObject({ pattern: text.min(1).max(500).describe('Literal text to find'), glob }),
  },
} as const satisfies Readonly<Record<string, { kind: ToolKind; description: string; schema: z.ZodObject }>>;

export type ToolName = keyof typeof TOOLS;

export const TOOL_NAMES: readonly ToolName[] = Object.keys(TOOLS).filter(isToolName);

/** The tools whose calls need approval. */
export type GatedToolName = {
  [Name in ToolName]: (typeof TOOLS)[Name]['kind'] extends 'gated' ? Name : never;
}[ToolName];

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

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name);
}

/** The tools as described to the model, in the order of the table. */
export function toolDefinitions(): ToolDefinition[] {
  return TOOL_NAMES.map((name) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(TOOLS[name].schema, { io: 'input' });
    return { name, description: TOOLS[name].description, parameters };
  });
}

/** A tool as described to the model; `parameters` is a JSON schema. */
type ToolDefinition = {
  readonly name: ToolName;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** Maximum number of calls per response. More would delay the work on other pull requests. */
export const MAX_CALLS_PER_RESPONSE = 50;

/**
 * Maximum number of characters that the changes of one response may span together. They are stored at once, which
 * blocks the process. A single change is limited to about the same size.
 */
export const MAX_CHANGED_CHARACTERS_PER_RESPONSE = 4_000_000;
