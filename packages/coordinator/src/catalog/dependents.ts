import type { Action, ObjectId, RelationObject, Snapshot, ViewObject } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';

/** Views that name one of the relations, and views that name those, nearest first. */
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

const allViews = (snapshot: Snapshot): ViewObject[] =>
  snapshot
    .databases()
    .flatMap(({ id }) => snapshot.schemas(id))
    .flatMap(({ id }) => snapshot.relations(id))
    .filter((relation) => relation.kind === 'view');

/**
 * The drops of relations and, with CASCADE, of the views on them.
 * @throws TesseraError DEPENDENT_OBJECTS without CASCADE, when a view that stays names one of them
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
  return [...dependents, ...relations].map(({ id }) => ({ kind: 'drop', id }));
}
