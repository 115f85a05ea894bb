import { executeSync } from 'graphql';
import type { ParsedDocument, Values } from './parser.ts';
import { SCHEMA } from './schema.ts';

/** A result value: a scalar, an object or a list. */
export type GraphqlValue = string | number | boolean | null | GraphqlObject | readonly GraphqlValue[];

type GraphqlField = GraphqlValue | ((args: Values) => GraphqlValue);

export type GraphqlObject = { readonly typeName: string; readonly fields: Readonly<Record<string, GraphqlField>> };

/** An error of a field during execution, with its GraphQL error type. */
export class GraphqlRequestError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** Executes a valid document. Throws the `GraphqlRequestError` of a field. */
export function executeSelections(root: GraphqlObject, { document }: ParsedDocument, variables: Values): Values {
  const { data, errors = [] } = executeSync({
    schema: SCHEMA,
    document,
    rootValue: root,
    variableValues: variables,
    fieldResolver: (object: GraphqlObject, args: Values, _context, { fieldName }) => fieldOf(object, fieldName, args),
    typeResolver: ({ typeName }: GraphqlObject) => typeName,
  });
  const [error] = errors;
  if (error !== undefined) throw error.originalError ?? error;
  return data ?? {};
}

function fieldOf({ typeName, fields }: GraphqlObject, name: string, args: Values): GraphqlValue {
  const found = fields[name];
  if (found === undefined) throw new Error(`The fake GitHub has no resolver for ${typeName}.${name}.`);
  return typeof found === 'function' ? found(args) : found;
}
