import type { Statement, VariableDeclarator } from '@swc/core';
import { Visitor } from '@swc/core/Visitor.js';

interface UsingDeclaration {
  readonly type: 'UsingDeclaration';
  decls: VariableDeclarator[];
}

/**
 * Extends swc's visitor, with which dependency-cruiser walks trees, by `using` and `await using`. swc parses
 * them, but its visitor throws "Unknown statement type", which ends the whole run.
 */
export function acceptUsingDeclarations(): void {
  const visitStatement = Visitor.prototype.visitStatement;
  Visitor.prototype.visitStatement = function (statement: Statement): Statement {
    const using = statement as unknown as UsingDeclaration;
    if (using.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
    using.decls = this.visitVariableDeclarators(using.decls);
    return statement;
  };
}
