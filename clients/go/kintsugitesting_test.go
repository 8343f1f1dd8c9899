package kintsugitesting

import (
	"strings"
	"testing"
	"time"
)

func TestMovesItsClockLosesANodeAndGoesBackToAMark(t *testing.T) {
	cluster, err := Start("--nodes=2", "--clock=steered")
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Stop()
	cluster.GiveClients = 5 * time.Millisecond
	mark, err := cluster.Mark()
	if err != nil {
		t.Fatal(err)
	}
	undo, err := cluster.CallFault("kill-node", "node-1", nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	unknown := "object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'Unknown')"
	advance, err := cluster.AdvanceUntil(unknown, "nodes", "", "node-1", 5*time.Minute)
	if err != nil || !advance.Settled {
		t.Fatalf("%+v: %v", advance, err)
	}
	if err := undo(); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Reset(mark); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.CallFault("kill-node", "node-9", nil, 1); err == nil || !strings.Contains(err.Error(), "no target") {
		t.Fatalf("a node that is not there: %v", err)
	}
}
