import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  TypeInfo,
  type ValidationRule,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { SCHEMA } from './schema.ts';

export type GraphqlError = {
  readonly message: string;
  readonly type?: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
};

export type Values = Readonly<Record<string, unknown>>;

/** A parsed document with one operation and its schema errors. */
export type ParsedDocument = {
  readonly ok: true;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly problems: readonly GraphqlError[];
};

const MAX_TOKENS = 10_000;

/** The specification forbids an empty selection; the library does not check it. */
const noEmptySelection: ValidationRule = (context) => ({
  SelectionSet({ selections }) {
    if (selections.length === 0) context.reportError(new GraphQLError('A selection is empty'));
  },
});

const RULES = [...specifiedRules, noEmptySelection];

/** Clients send the same few documents again and again, and parsing takes longer than executing. */
const MAX_CACHED_DOCUMENTS = 50;

const documentCache = new Map<string, ParsedDocument>();

/** Parses a document with one query or mutation and checks it against the schema. Never throws. */
export function parseDocument(text: string): ParsedDocument | { readonly ok: false; readonly message: string } {
  const cached = documentCache.get(text);
  if (cached !== undefined) return cached;
  try {
    const document = parse(text, { maxTokens: MAX_TOKENS, noLocation: true });
    const operation = getOperationAST(document);
    if (operation == null) return { ok: false, message: 'The fake GitHub accepts exactly one operation in a document' };
    const parsed = {
      ok: true,
      document,
      operation,
      problems: toGraphqlErrors(validate(SCHEMA, document, RULES)),
    } as const;
    if (documentCache.size >= MAX_CACHED_DOCUMENTS) documentCache.clear();
    documentCache.set(text, parsed);
    return parsed;
  } catch (error) {
    if (error instanceof GraphQLError) return { ok: false, message: error.message };
    throw error;
  }
}

/** Returns the errors of a document and its variables. */
export function checkDocument({ operation, problems }: ParsedDocument, variables: Values): readonly GraphqlError[] {
  const definitions = operation.variableDefinitions ?? [];
  const declared = new Set(definitions.map(({ variable }) => variable.name.value));
  const undeclared = Object.keys(variables)
    .filter((name) => !declared.has(name))
    .map((name) => ({ message: `Variable $${name} is given but the operation does not declare it` }));
  if (problems.length > 0) return [...problems, ...undeclared];
  const { errors = [] } = getVariableValues(SCHEMA, definitions, variables, { hideSuggestions: true });
  return [...toGraphqlErrors(errors), ...undeclared];
}

/** The name of a query, and the first field of a mutation. They name the request. */
export function nameOf(definition: OperationDefinitionNode): string {
  const { operation, name } = definition;
  return operation === 'query' && name !== undefined ? name.value : rootFieldOf(definition);
}

/** The first field of an operation. */
export function rootFieldOf({ selectionSet }: OperationDefinitionNode): string {
  const field = selectionSet.selections.find((selection) => selection.kind === Kind.FIELD);
  return field?.kind === Kind.FIELD ? field.name.value : '';
}

const UNKNOWN_FIELD = /^Cannot query field "(\w+)" on type "(\w+)"\./;

/** Unknown fields get GitHub’s message. Other errors keep the message of the library, because GitHub’s is unknown. */
function toGraphqlErrors(errors: readonly GraphQLError[]): readonly GraphqlError[] {
  return errors.map(({ message }) => {
    const [, fieldName, typeName] = UNKNOWN_FIELD.exec(message) ?? [];
    if (fieldName === undefined) return { message };
    return undefinedField(typeName ?? '', fieldName);
  });
}

function undefinedField(typeName: string, fieldName: string): GraphqlError {
  const extensions = { code: 'undefinedField', typeName, fieldName };
  return { message: `Field '${fieldName}' doesn't exist on type '${typeName}'`, extensions };
}

/** The errors of an older server, which lacks some fields (`IssueComment.fullDatabaseId`). */
export function findMissingFields({ document }: ParsedDocument, missing: readonly string[]): readonly GraphqlError[] {
  const errors: GraphqlError[] = [];
  const types = new TypeInfo(SCHEMA);
  const Field = ({ name: { value } }: FieldNode): void => {
    const typeName = types.getParentType()?.name ?? '';
    if (missing.includes(`${typeName}.${value}`)) errors.push(undefinedField(typeName, value));
  };
  visit(document, visitWithTypeInfo(types, { Field }));
  return errors;
}
