import { useSignal } from '@preact/signals';
import { Icon } from '../parts/icon.tsx';
import { tabStep } from '../parts/tab-step.ts';
import { focusEditor } from '../state/insertion.ts';
import { isRunning } from '../state/run.ts';
import { activeId, activeTab, closeTab, openTab, type Tab, tabs } from '../state/tabs.ts';

export function TabBar() {
  const onKeyDown = (event: KeyboardEvent) => {
    const all = tabs.value;
    const at = tabStep(event, all.indexOf(activeTab.value), all.length);
    if (at === undefined) return;
    const next = all[at]!;
    activeId.value = next.id;
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <div class="tabs row">
      <div role="tablist" aria-label="Open statements" onKeyDown={onKeyDown}>
        {tabs.value.map((tab) => (
          <TabButton key={tab.id} tab={tab} />
        ))}
      </div>
      <button
        type="button"
        class="plain"
        title="New tab"
        aria-label="New tab"
        onClick={() => {
          openTab('');
          focusEditor();
        }}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}

function TabButton({ tab }: { tab: Tab }) {
  const renaming = useSignal(false);
  const active = activeTab.value === tab;
  if (renaming.value)
    return (
      <input
        class="tab-name"
        aria-label="Name of the tab"
        value={tab.title.value}
        ref={(input) => input?.select()}
        onBlur={(event) => {
          tab.title.value = event.currentTarget.value.trim() || tab.title.value;
          renaming.value = false;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.value = '';
          if (event.key === 'Enter' || event.key === 'Escape') event.currentTarget.blur();
        }}
      />
    );
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${tab.id}`}
      class="tab"
      aria-selected={active}
      tabIndex={active ? 0 : -1}
      title="Double-click or F2 to rename, Delete to close"
      onClick={(event) => {
        if ((event.target as Element).closest('.icon-close')) closeTab(tab);
        else {
          activeId.value = tab.id;
          focusEditor();
        }
      }}
      onDblClick={() => (renaming.value = true)}
      onKeyDown={(event) => {
        if (event.key === 'F2') renaming.value = true;
        if (event.key === 'Delete') closeTab(tab);
      }}
    >
      {isRunning(tab) && <span class="spinner" role="img" aria-label="running" />}
      {tab.title}
      <Icon name="close" />
    </button>
  );
}
