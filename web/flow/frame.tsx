import type { CurrentBrand } from '../api/types.ts';
import './frame.css';
import { type ReactNode, useEffect, useState } from 'react';
import { useBrand } from '../page/mount-page.tsx';
import type { FlowInfo } from './challenge.ts';
import { Foot } from './foot.tsx';
import { safeAddress } from './safe-address.ts';

/** The brand, the background and the place for the screen, in the layout of the flow or else of the brand. */
export function Frame({ flow, children }: { flow: FlowInfo | null; children: ReactNode }) {
  const brand = useBrand();
  const title = flow?.title;
  useEffect(() => {
    document.title = title ? `${title} · ${brand.branding_title}` : brand.branding_title;
  }, [title, brand]);
  return (
    <div className="frame" data-layout={layoutOf(flow, brand)}>
      <Background address={backgroundOf(flow) ?? safeAddress(brand.ui_background)} />
      <main className="frame-card">
        <Logo />
        {children}
      </main>
      <Foot />
    </div>
  );
}

/** The API names this picture for flows that have none; pages have the ground of the brand instead. */
const noBackground = '/static/flow-background.svg';

const backgroundOf = (flow: FlowInfo | null): string | null =>
  flow?.background?.endsWith(noBackground) ? null : safeAddress(flow?.background);

const layouts: Readonly<Record<CurrentBrand['ui_layout'], FlowInfo['layout']>> = {
  centred: 'stacked',
  left: 'sidebar_left',
  right: 'sidebar_right',
};

const layoutOf = (flow: FlowInfo | null, { ui_layout }: CurrentBrand): FlowInfo['layout'] =>
  flow && flow.layout !== 'stacked' ? flow.layout : layouts[ui_layout];

function Logo() {
  const { branding_logo, branding_title } = useBrand();
  const [isMissing, setMissing] = useState(false);
  const address = safeAddress(branding_logo);
  // A brand with a title of its own is not shown under our name.
  const isOurs = branding_logo === '/static/logo.svg' && branding_title.toLowerCase() !== 'gatehouse';
  if (!address || isMissing || isOurs) return <p className="frame-logo">{branding_title}</p>;
  return <img className="frame-logo" src={address} alt={branding_title} onError={() => setMissing(true)} />;
}

function Background({ address }: { address: string | null }) {
  const [missing, setMissing] = useState<string | null>(null);
  if (!address || address === missing) return null;
  return <img className="frame-background" src={address} alt="" onError={() => setMissing(address)} />;
}
