"""Small files to start from: the node and edge tables of a graph of four."""

from __future__ import annotations

EDGES = "source,target\nanna,ben\nben,carla\ncarla,dora\n"
NODES = (
    "id,label,split,age,height\n"
    "anna,red,train,31,1.68\n"
    "ben,red,val,28,1.81\n"
    "carla,blue,train,45,1.72\n"
    "dora,blue,test,39,1.75\n"
)


def template() -> dict[str, str]:
    """File names and contents; together they can be imported."""
    return {"edges.csv": EDGES, "nodes.csv": NODES}
