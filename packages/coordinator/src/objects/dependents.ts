import type {
  Action,
  CatalogObject,
  ObjectId,
  RelationObject,
  SchemaObject,
  Snapshot,
  TableObject,
  ViewObject,
} from '@tessera/catalog';
import { RELATION_WORDS } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { ownedSequences } from './owned-sequences.ts';

/** The views that name one of the relations, and the views that name those, nearest first. */
export function dependentViews(
  snapshot: Snapshot,
  relations: readonly Pick<RelationObject, 'id'>[],
): readonly ViewObject[] {
  const views = allViews(snapshot);
  const reached = new Set<ObjectId>(relations.map(({ id }) => id));
  const found: ViewObject[] = [];
  for (let grew = true; grew; ) {
    grew = false;
    for (const view of views) {
      if (reached.has(view.id) || !view.references?.some((id) => reached.has(id))) continue;
      reached.add(view.id);
      found.push(view);
      grew = true;
    }
  }
  return found;
}

const allRelations = (snapshot: Snapshot): RelationObject[] =>
  snapshot
    .databases()
    .flatMap(({ id }) => snapshot.schemas(id))
    .flatMap(({ id }) => snapshot.relations(id));

const allViews = (snapshot: Snapshot): ViewObject[] =>
  allRelations(snapshot).filter((relation) => relation.kind === 'view');

/** Other tables with a foreign key to one of the relations. */
export const referencingTables = (
  snapshot: Snapshot,
  relations: readonly Pick<RelationObject, 'id'>[],
): readonly TableObject[] => {
  const referenced = new Set(relations.map(({ id }) => id));
  return allRelations(snapshot).filter(
    (relation): relation is TableObject =>
      relation.kind === 'table' && !referenced.has(relation.id) && references(relation, referenced),
  );
};

const references = ({ constraints = [] }: TableObject, tables: ReadonlySet<ObjectId>): boolean =>
  constraints.some((constraint) => constraint.kind === 'foreign_key' && tables.has(constraint.table));

/**
 * Refuses if views depend on a relation: they are kept as text, which contains the names of tables and
 * columns.
 * @throws TesseraError DEPENDENT_OBJECTS
 */
export function refuseDependents(snapshot: Snapshot, relation: RelationObject, what: string): void {
  const [view] = dependentViews(snapshot, [relation]);
  if (view === undefined) return;
  const message = `${what}, because the view "${view.name}" depends on ${RELATION_WORDS[relation.kind]} "${relation.name}"; drop or replace the view first`;
  throw TesseraError.of('DEPENDENT_OBJECTS', { message });
}

/**
 * The actions that drop relations and, with CASCADE, also the views on them and the foreign keys that
 * reference them.
 * @throws TesseraError DEPENDENT_OBJECTS without CASCADE, if a remaining view or table needs one of them
 */
export function dropRelations(
  snapshot: Snapshot,
  relations: readonly RelationObject[],
  { cascade }: { readonly cascade: boolean },
): Action[] {
  const dependents = dependentViews(snapshot, relations);
  if (dependents.length > 0 && !cascade) {
    const names = dependents
      .slice(0, 5)
      .map((view) => `"${view.name}"`)
      .join(', ');
    const message = `${relations.map((r) => `"${r.name}"`).join(', ')} cannot be dropped, because the view ${names}${
      dependents.length > 5 ? ' and others' : ''
    } depends on it; CASCADE drops that too`;
    throw TesseraError.of('DEPENDENT_OBJECTS', { message });
  }
  const referencing = referencingTables(snapshot, relations);
  if (referencing.length > 0 && !cascade) {
    const message = `${relations.map((r) => `"${r.name}"`).join(', ')} cannot be dropped, because a foreign key of table "${referencing[0]!.name}" references it; CASCADE drops the foreign key too`;
    throw TesseraError.of('DEPENDENT_OBJECTS', { message });
  }
  const dropped = new Set(relations.map(({ id }) => id));
  const sequences = ownedSequences(snapshot, relations);
  return [
    ...referencing.map((table): Action => ({ kind: 'alter', object: withoutForeignKeys(table, dropped) })),
    ...[...dependents, ...relations, ...sequences].map(({ id }): Action => ({ kind: 'drop', id })),
  ];
}

/** A table without its foreign keys to the given tables. */
function withoutForeignKeys(table: TableObject, to: ReadonlySet<ObjectId>): TableObject {
  const constraints = table.constraints?.filter((c) => c.kind !== 'foreign_key' || !to.has(c.table));
  return { ...table, ...(constraints === undefined ? {} : { constraints }) };
}

/** The drops of a schema and of everything in it, with what depends on that. */
export function schemaDrops(snapshot: Snapshot, { id }: SchemaObject): readonly Action[] {
  const drops = [
    ...dropRelations(snapshot, snapshot.relations(id), { cascade: true }),
    ...snapshot.sequences(id).map(dropOf),
  ];
  return [...withoutTwice(drops), { kind: 'drop', id }];
}

export const dropOf = ({ id }: CatalogObject): Action => ({ kind: 'drop', id });

/** A sequence goes with its table and with its schema. */
export function withoutTwice(drops: readonly Action[]): readonly Action[] {
  const ids = new Set<string>();
  return drops.filter((drop) => drop.kind !== 'drop' || (!ids.has(drop.id) && ids.add(drop.id)));
}
