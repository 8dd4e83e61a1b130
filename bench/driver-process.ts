import { type Drive, type DriveOrder, drive } from './drive.ts';
import { driveSignIns, type SignInOrder } from './drive-sign-ins.ts';
import { driveSupply, type SupplyOrder } from './oauth/drive-supply.ts';

// A process of its own, so that measuring does not take time from what is measured.
process.on('message', async (order: DriveOrder | SignInOrder | SupplyOrder) => {
  try {
    process.send?.({ done: await follow(order) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});

function follow(order: DriveOrder | SignInOrder | SupplyOrder): Promise<Drive> {
  if ('signIn' in order) return driveSignIns(order);
  return 'supply' in order ? driveSupply(order) : drive(order);
}
