import { Component, type ReactNode } from 'react';
import { Button } from '../elements/button.tsx';
import { t } from '../texts/texts.ts';

interface State {
  readonly hasFailed: boolean;
}

/** Shown when a page throws, also when its scripts are gone after an upgrade of the server. */
export class FaultBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { hasFailed: false };

  static getDerivedStateFromError(): State {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <main className="fault" role="alert">
        <h1>{t('This page could not be shown')}</h1>
        <p>{t('It may have been updated on the server in the meantime. Loading it again usually helps.')}</p>
        <Button onClick={() => location.reload()}>{t('Load again')}</Button>
      </main>
    );
  }
}
