import { isRecord } from '../../trust.ts';
import type { FieldNode, OperationNode, SelectionNode, ValueNode } from './graphql-document.ts';
import { bareType, INPUT_TYPES, INTERFACES, OBJECT_TYPES, SCALARS } from './graphql-schema.ts';

/** An error as GitHub's GraphQL API lists it. */
export type GraphqlError = {
  readonly message: string;
  readonly type?: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
};

export type Values = Readonly<Record<string, unknown>>;

/** Checks a document and its variables against the schema before anything runs; an empty list lets it run. */
export function checkOperation(operation: OperationNode, variables: Values): readonly GraphqlError[] {
  const root = operation.kind === 'query' ? 'Query' : 'Mutation';
  return [
    ...operation.variables.flatMap((variable) => {
      const given = variable.name in variables || variable.fallback === undefined;
      return given ? valueProblems(variables[variable.name], variable.type, `$${variable.name}`) : [];
    }),
    ...undeclared(operation, variables),
    ...selectionProblems(operation, operation.selections, root, [operation.kind]),
  ];
}

function undeclared(operation: OperationNode, variables: Values): readonly GraphqlError[] {
  const declared = new Set(operation.variables.map((variable) => variable.name));
  const extra = Object.keys(variables).filter((name) => !declared.has(name));
  return extra.map((name) => ({ message: `Variable $${name} is given but the operation does not declare it` }));
}

type Path = readonly string[];

function selectionProblems(
  operation: OperationNode,
  selections: readonly SelectionNode[],
  type: string,
  path: Path,
): readonly GraphqlError[] {
  return selections.flatMap((selection) => {
    if (selection.kind === 'field') return fieldProblems(operation, selection, type, [...path, selection.alias]);
    const possible = selection.on === type || INTERFACES[type]?.includes(selection.on) === true;
    if (!possible) return [{ message: `Fragment on ${selection.on} can't be spread inside ${type}`, path }];
    return selectionProblems(operation, selection.selections, selection.on, path);
  });
}

function fieldProblems(operation: OperationNode, field: FieldNode, type: string, path: Path): readonly GraphqlError[] {
  if (field.name === '__typename') return [];
  const known = OBJECT_TYPES[type]?.[field.name];
  if (known === undefined) {
    const message = `Field '${field.name}' doesn't exist on type '${type}'`;
    return [{ message, path, extensions: { code: 'undefinedField', typeName: type, fieldName: field.name } }];
  }
  const inner = bareType(known.type);
  const composite = inner in OBJECT_TYPES || inner in INTERFACES;
  const shape = composite === field.selections.length > 0 ? [] : [shapeProblem(field, inner, composite, path)];
  const deeper = composite ? selectionProblems(operation, field.selections, inner, path) : [];
  return [...argumentProblems(operation, field, known.args ?? {}, path), ...shape, ...deeper];
}

function shapeProblem(field: FieldNode, type: string, composite: boolean, path: Path): GraphqlError {
  const message = composite
    ? `Field must have selections (field '${field.name}' returns ${type} but has no selections. Did you mean '${field.name} { ... }'?)`
    : `Selections can't be made on scalars (field '${field.name}' returns ${type} but has selections)`;
  return { message, path };
}

function argumentProblems(
  operation: OperationNode,
  field: FieldNode,
  known: Readonly<Record<string, string>>,
  path: Path,
): readonly GraphqlError[] {
  const unknown = [...field.args.keys()].filter((name) => !(name in known));
  const missing = Object.keys(known).filter((name) => known[name]?.endsWith('!') && !field.args.has(name));
  return [
    ...unknown.map((name) => ({ message: `Field '${field.name}' doesn't accept argument '${name}'`, path })),
    ...missing.map((name) => ({ message: `Field '${field.name}' is missing required arguments: ${name}`, path })),
    ...[...field.args].flatMap(([name, value]) => nodeProblems(operation, value, known[name] ?? '', [...path, name])),
  ];
}

function nodeProblems(operation: OperationNode, node: ValueNode, type: string, path: Path): readonly GraphqlError[] {
  switch (node.kind) {
    case 'variable':
      return variableProblems(operation, node.name, type, path);
    case 'literal':
      return valueProblems(node.value, type, path.join('.'));
    case 'list':
      return node.items.flatMap((item) => nodeProblems(operation, item, itemType(type), path));
    case 'object':
      return objectProblems(operation, node.fields, bareType(type), path);
  }
}

function variableProblems(operation: OperationNode, name: string, type: string, path: Path): readonly GraphqlError[] {
  const declared = operation.variables.find((variable) => variable.name === name);
  if (declared === undefined) return [{ message: `Variable $${name} is used but not declared`, path }];
  if (declared.type === type || declared.type === `${type}!`) return [];
  return [{ message: `Type mismatch on variable $${name} and argument (${declared.type} / ${type})`, path }];
}

function objectProblems(
  operation: OperationNode,
  fields: ReadonlyMap<string, ValueNode>,
  type: string,
  path: Path,
): readonly GraphqlError[] {
  const known = INPUT_TYPES[type] ?? {};
  const missing = Object.keys(known).filter((name) => known[name]?.endsWith('!') && !fields.has(name));
  return [
    ...missing.map((name) => ({ message: `Argument '${name}' on InputObject '${type}' is required`, path })),
    ...[...fields].flatMap(([name, value]) => {
      const wanted = known[name];
      if (wanted !== undefined) return nodeProblems(operation, value, wanted, [...path, name]);
      return [{ message: `InputObject '${type}' doesn't accept argument '${name}'`, path }];
    }),
  ];
}

function itemType(type: string): string {
  return type.replace(/^\[(.*)\]!?$/, '$1');
}

/** Whether a JSON value is one of a type; problems name the place in it. */
function valueProblems(value: unknown, type: string, where: string): readonly GraphqlError[] {
  if (value === undefined || value === null) {
    return type.endsWith('!') ? [{ message: `${where} of type ${type} was provided no value` }] : [];
  }
  if (/^\[.*\]!?$/.test(type)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.flatMap((item, index) => valueProblems(item, itemType(type), `${where}.${index}`));
  }
  const fields = INPUT_TYPES[bareType(type)];
  if (fields !== undefined) return inputProblems(value, fields, bareType(type), where);
  const accepts = SCALARS[bareType(type)];
  if (accepts?.(value) === true) return [];
  return [{ message: `${where} of type ${type} was provided invalid value` }];
}

function inputProblems(value: unknown, fields: Values, type: string, where: string): readonly GraphqlError[] {
  if (!isRecord(value)) return [{ message: `${where} of type ${type} was provided invalid value` }];
  const unknown = Object.keys(value).filter((name) => !(name in fields));
  return [
    ...unknown.map((name) => ({ message: `${where}.${name} (Field is not defined on ${type})` })),
    ...Object.entries(fields).flatMap(([name, wanted]) =>
      valueProblems(value[name], String(wanted), `${where}.${name}`),
    ),
  ];
}
